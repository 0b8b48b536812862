// Prints the report for a terminal: the verdict, a table of loads, and notes, no wider than asked
// for.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "packer/answer/internal/notes.h"
#include "packer/answer/report.h"
#include "packer/answer/report_table.h"
#include "packer/answer/report_totals.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kNarrowGap = 1;  // gap between the columns of a group
constexpr size_t kWideGap = 3;    // gap between groups, where there is room
// Width for "common", "sub", "cold", and future kinds.
constexpr size_t kLongestKind = 12;

struct TableHeading {
  std::string_view upper;  // empty within a group
  std::string_view lower;
};
constexpr std::array<TableHeading, kLoadColumns> kHeadings = {{{"need", "MB"},
                                                               {"", "MB"},
                                                               {"", "reads"},
                                                               {"", "seeks"},
                                                               {"", "s"},
                                                               {"", "MB"},
                                                               {"", "reads"},
                                                               {"", "seeks"},
                                                               {"", "s"},
                                                               {"times", "faster"},
                                                               {"over", "bound"}}};

bool begins_group(size_t column) {
  return column == kNeededMegabytes || column == kBeforeMegabytes || column == kAfterMegabytes ||
         column == kTimesFaster;
}

// Tells where the columns of the table of loads are.
struct LoadGeometry {
  size_t name_columns = 0;
  size_t group_gap = kNarrowGap;
  std::array<size_t, kLoadColumns> widths = {};

  size_t gap_before(size_t column) const { return begins_group(column) ? group_gap : kNarrowGap; }
  // Returns the width from the start of `first` to the end of `last`.
  size_t span(size_t first, size_t last) const {
    size_t columns = widths[first];
    for (size_t i = first + 1; i <= last; ++i) columns += gap_before(i) + widths[i];
    return columns;
  }
  size_t numbers() const { return gap_before(0) + span(0, kLoadColumns - 1); }
};

LoadGeometry geometry_of(const std::vector<LoadRow>& rows, size_t columns) {
  LoadGeometry geometry;
  for (size_t i = 0; i < kLoadColumns; ++i) {
    geometry.widths[i] = std::max(kHeadings[i].upper.size(), kHeadings[i].lower.size());
    for (const LoadRow& row : rows)
      geometry.widths[i] = std::max(geometry.widths[i], row.cells[i].size());
  }
  size_t longest_name = std::string_view("scenario").size();
  for (const LoadRow& row : rows) longest_name = std::max(longest_name, columns_of(row.name));
  for (geometry.group_gap = kWideGap; geometry.group_gap > kNarrowGap; --geometry.group_gap)
    if (longest_name + geometry.numbers() <= columns) break;
  geometry.name_columns = std::min(longest_name, columns - geometry.numbers());
  return geometry;
}

// Returns a heading such as "--- before ---" across a group's columns.
std::string group_heading(std::string_view name, size_t columns) {
  const size_t dashes = columns - std::min(columns, name.size() + 2);
  return fmt::format("{} {} {}", std::string(dashes / 2, '-'), name,
                     std::string(dashes - dashes / 2, '-'));
}

std::string load_heading(const LoadGeometry& geometry) {
  std::string upper = std::string(geometry.name_columns, ' ');
  std::string lower =
      pad_right(cut_middle("scenario", geometry.name_columns), geometry.name_columns);
  for (size_t i = 0; i < kLoadColumns; ++i) {
    const std::string gap(geometry.gap_before(i), ' ');
    lower += gap + pad_left(kHeadings[i].lower, geometry.widths[i]);
    if (i == kBeforeMegabytes)
      upper += gap + group_heading("before", geometry.span(i, kBeforeSeconds));
    else if (i == kAfterMegabytes)
      upper += gap + group_heading("after", geometry.span(i, kAfterSeconds));
    else if (!kHeadings[i].upper.empty())
      upper += gap + pad_left(kHeadings[i].upper, geometry.widths[i]);
  }
  return upper + "\n" + lower + "\n";
}

std::string load_line(const LoadRow& row, const LoadGeometry& geometry) {
  std::string line = pad_right(row.name, geometry.name_columns);
  for (size_t i = 0; i < kLoadColumns; ++i)
    line += std::string(geometry.gap_before(i), ' ') + pad_left(row.cells[i], geometry.widths[i]);
  return line + "\n";
}

std::string load_table(const Report& report, size_t columns) {
  if (report.scenarios.empty()) return "No scenario was measured.\n";
  std::vector<LoadRow> rows = load_rows(report.scenarios);
  const LoadGeometry geometry = geometry_of(rows, columns);
  std::vector<std::string> names;
  for (const LoadRow& row : rows) names.push_back(row.name);
  names = cut_names(names, geometry.name_columns);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].name = names[i];
  std::string out = load_heading(geometry);
  for (const LoadRow& row : rows) {
    if (&row == &rows.back())
      out += std::string(geometry.name_columns + geometry.numbers(), '-') + "\n";
    out += load_line(row, geometry);
  }
  return out;
}

std::string padding_sentence(const PackTotal& total, size_t packs) {
  return fmt::format("Padding: {} of {} in {} {} ({:.2f} %).", bytes_text(total.padding_bytes),
                     bytes_text(total.file_bytes), grouped(packs), packs == 1 ? "pack" : "packs",
                     padding_percent(total.padding_bytes, total.file_bytes));
}

std::string pack_table(const Report& report, size_t columns) {
  if (report.packs.empty()) return "No packs.\n";
  constexpr std::array<std::string_view, kPackColumns> kPackHeadings = {"assets", "MB",
                                                                        "padding %"};
  const std::vector<PackRow> rows = pack_rows(report.packs);
  size_t name_columns = std::string_view("pack").size();
  size_t kind_columns = std::string_view("kind").size();
  for (const PackRow& row : rows) {
    name_columns = std::max(name_columns, columns_of(row.name));
    kind_columns = std::max(kind_columns, std::min(kLongestKind, columns_of(row.kind)));
  }
  constexpr size_t kNumberColumns = 9;  // "padding %"
  const size_t rest = 2 + kind_columns + kPackColumns * (2 + kNumberColumns);
  name_columns = std::min(name_columns, columns - rest);
  const auto line = [&](std::string_view name, std::string_view kind, const auto& cells) {
    std::string out = pad_right(cut_middle(name, name_columns), name_columns) + "  " +
                      pad_right(cut_middle(kind, kind_columns), kind_columns);
    for (const auto& cell : cells) out += "  " + pad_left(cell, kNumberColumns);
    return out + "\n";
  };
  std::string out = line("pack", "kind", kPackHeadings);
  for (size_t i = 0; i + 1 < rows.size(); ++i)
    out += line(rows[i].name, rows[i].kind, rows[i].cells);
  return out;
}

AnswerNotes notes_of(const Report& report) {
  AnswerNotes notes;
  notes.brief.push_back(
      report.capacity_bytes == 0
          ? fmt::format("Drive: {} (solid state)", report.drive)
          : fmt::format("Drive: {} ({})", report.drive, bytes_text(report.capacity_bytes)));
  notes.brief.emplace_back("s: seconds that the drive is busy");
  if (!report.packs.empty())
    notes.brief.push_back(padding_sentence(total_of(report.packs), report.packs.size()));
  if (report.plan) notes.brief.push_back(copies_note(*report.plan));
  notes.more.emplace_back(
      "bound: what is needed, each byte once, at the rate where it lies, and the way to it: no "
      "order is faster");
  if (report.plan) {
    notes.more.push_back(
        fmt::format("Planned for {}: {}", report.plan->drive, report.plan->reasons));
    notes.more.push_back(copies_sentence(*report.plan));
  }
  for (const std::string& text : report.assumptions) notes.more.push_back("Assumed: " + text);
  for (const std::string& text : report.warnings) notes.more.push_back("Warning: " + text);
  return notes;
}

}  // namespace

std::string to_text(const Report& report, size_t columns, bool is_verbose) {
  columns = table_columns(columns);
  std::string text = report.verdict ? paragraph(report.verdict->text, columns) + "\n" : "";
  text += load_table(report, columns) + "\n";
  if (is_verbose) text += pack_table(report, columns) + "\n";
  text += to_text(notes_of(report), is_verbose, columns);
  text.pop_back();
  return text;
}

}  // namespace seekless
