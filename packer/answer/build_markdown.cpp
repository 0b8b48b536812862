// Writes the summary of a build for a CI job's page, as GitHub and GitLab show it. There are few
// rows and names are cut, so that the whole stays far below the limit of those pages (64 kB in a
// comment).
#include <algorithm>

#include <fmt/format.h>

#include "packer/answer/build_report.h"
#include "packer/answer/build_tables.h"
#include "packer/answer/report_totals.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kMostLoads = 30;
constexpr size_t kMostPacks = 30;
constexpr size_t kMostAssets = 10;
constexpr size_t kMostWarnings = 10;
constexpr size_t kNameColumns = 72;
constexpr size_t kSentenceColumns = 400;

// Escapes plain text so that it shows as it is: no emphasis, no mention, no formula, no HTML.
std::string escape_markdown(std::string_view text, size_t columns) {
  std::string out;
  for (const char c : cut_middle(clean_line(text), columns)) {
    if (std::string_view("\\`*_[]<>#|~&$@").contains(c)) out += '\\';
    out += c;
  }
  return out;
}

// Prints a sentence in bold. It must be our own text, because Markdown in it isn't escaped.
std::string bold(std::string_view sentence) {
  return sentence.empty() ? ""
                          : fmt::format("**{}**\n\n", escape_markdown(sentence, kSentenceColumns));
}

std::string cell(const TextColumn& column, const std::string& text) {
  return column.is_name ? escape_markdown(text, kNameColumns) : text;
}

std::string table_markdown(const ReportTable& table) {
  if (table.rows.empty()) return {};
  std::string out = fmt::format("### {}\n\n", table.title);
  for (const TextColumn& column : table.columns) out += fmt::format("| {} ", column.title);
  out += "|\n";
  for (const TextColumn& column : table.columns) out += column.is_name ? "|:--" : "|--:";
  out += "|\n";
  for (const std::vector<std::string>& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i)
      out += fmt::format("| {} ", cell(table.columns[i], row[i]));
    out += "|\n";
  }
  if (table.left_out > 0) out += fmt::format("\nAnd {} more.\n", grouped(table.left_out));
  return out + "\n";
}

std::string warnings_markdown(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return {};
  std::string out = warnings.size() == 1 ? "### Warning\n\n" : "### Warnings\n\n";
  const size_t shown = std::min(warnings.size(), kMostWarnings);
  for (size_t i = 0; i < shown; ++i)
    out += fmt::format("- {}\n", escape_markdown(warnings[i], kSentenceColumns));
  if (shown < warnings.size())
    out += fmt::format("- and {} more\n", grouped(warnings.size() - shown));
  return out + "\n";
}

}  // namespace

std::string to_markdown(const BuildReport& report) {
  std::string out =
      fmt::format("## Build of {}\n\n", escape_markdown(report.build_file, kNameColumns));
  out += bold(loads_sentence(report));
  out += escape_markdown(packs_sentence(report), kSentenceColumns) + "\n\n";
  if (const std::string patch = patch_sentence(report); !patch.empty())
    out += escape_markdown(patch, kSentenceColumns) + "\n\n";
  out += warnings_markdown(report.results.warnings);
  out += table_markdown(loads_table(report, kMostLoads));
  out += table_markdown(packs_table(report, kMostPacks));
  if (report.results.plan)
    out += escape_markdown(copies_sentence(*report.results.plan), kSentenceColumns) + "\n\n";
  out += table_markdown(copies_table(report, kMostAssets));
  return out + table_markdown(largest_table(report, kMostAssets));
}

}  // namespace seekless
