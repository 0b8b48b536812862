// Makes the report as one page for people: the result in words, then pictures, then every figure.
// Everything but numbers is escaped.
#include <string_view>

#include <fmt/format.h>

#include "packer/answer/report_table.h"
#include "packer/answer/report_totals.h"
#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/page_parts.h"
#include "packer/page/report_page.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr std::string_view kArrow = "<span class=\"faint\">\xe2\x86\x92</span>";

std::string facts_html(const Report& report) {
  if (report.scenarios.empty()) return {};
  const LoadTotal total = total_of(report.scenarios);
  std::string out = "<dl class=\"facts\">\n";
  out += fact_html("drive busy", change_html(seconds_text(total.before.seconds),
                                             seconds_text(total.after.seconds)));
  out += fact_html("reads",
                   change_html(count_cell(total.before.reads), count_cell(total.after.reads)));
  out += fact_html("seeks",
                   change_html(count_cell(total.before.seeks), count_cell(total.after.seeks)));
  if (const auto over = ratio(total.after.seconds, total.bound_seconds))
    out += fact_html("after, over the bound", fmt::format("{} \xc3\x97", number_cell(*over, 2)));
  return out + "</dl>\n";
}

std::string table_row(std::string_view name, std::string_view kind, bool has_kind,
                      const auto& cells, auto begins_group) {
  std::string out = fmt::format("<tr><th scope=\"row\">{}</th>", escape_html(name));
  if (has_kind) out += fmt::format("<td class=\"text\">{}</td>", escape_html(kind));
  for (size_t i = 0; i < cells.size(); ++i)
    out += fmt::format("<td{}>{}</td>", begins_group(i) ? " class=\"first\"" : "", cells[i]);
  return out + "</tr>\n";
}

std::string packs_section(const Report& report) {
  if (report.packs.empty())
    return "<section>\n<h2>Packs</h2>\n<p>There are no packs.</p>\n</section>\n";
  constexpr std::string_view kHead =
      "<tr><th class=\"text\" scope=\"col\">pack</th><th class=\"text\" scope=\"col\">kind</th>"
      "<th scope=\"col\">assets</th><th scope=\"col\">MB</th>"
      "<th scope=\"col\">padding %</th></tr>\n";
  const auto row_html = [](const PackRow& row) {
    return table_row(row.name, row.kind, true, row.cells, [](size_t) { return false; });
  };
  const std::vector<PackRow> rows = pack_rows(report.packs);
  std::string body;
  for (size_t i = 0; i + 1 < rows.size(); ++i) body += row_html(rows[i]);
  const PackTotal total = total_of(report.packs);
  return fmt::format(
      "<section>\n<h2>Packs</h2>\n{}<p class=\"note\">{} of content and {} of padding in {}.</p>\n"
      "</section>\n",
      table_html("Packs", kHead, body, row_html(rows.back())), bytes_text(total.content_bytes),
      bytes_text(total.padding_bytes), bytes_text(total.file_bytes));
}

std::string list_html(const std::vector<std::string>& texts) {
  std::string out = "<ul class=\"plain\">\n";
  for (const std::string& text : texts) out += fmt::format("<li>{}</li>\n", escape_html(text));
  return out + "</ul>\n";
}

}  // namespace

std::string fact_html(std::string_view name, std::string_view value_html) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value_html);
}

std::string change_html(std::string_view before, std::string_view after) {
  return fmt::format("<span class=\"was\">{}</span> {} <span class=\"is\">{}</span>", before,
                     kArrow, after);
}

std::string loads_section(const Report& report) {
  if (report.scenarios.empty()) return {};
  constexpr std::string_view kHead =
      "<tr><th class=\"text\" rowspan=\"2\" scope=\"col\">scenario</th>"
      "<th class=\"first\" scope=\"col\">needed</th>"
      "<th class=\"group first before\" colspan=\"4\" scope=\"colgroup\">before</th>"
      "<th class=\"group first after\" colspan=\"4\" scope=\"colgroup\">after</th>"
      "<th class=\"first\" scope=\"col\">times</th><th scope=\"col\">over</th></tr>\n"
      "<tr><th class=\"first\">MB</th>"
      "<th class=\"first\">MB</th><th>reads</th><th>seeks</th><th>seconds</th>"
      "<th class=\"first\">MB</th><th>reads</th><th>seeks</th><th>seconds</th>"
      "<th class=\"first\">faster</th><th>bound</th></tr>\n";
  const auto begins_group = [](size_t column) {
    return column == kNeededMegabytes || column == kBeforeMegabytes || column == kAfterMegabytes ||
           column == kTimesFaster;
  };
  const auto row_html = [&](const LoadRow& row) {
    return table_row(row.name, "", false, row.cells, begins_group);
  };
  const std::vector<LoadRow> rows = load_rows(report.scenarios);
  std::string body;
  for (size_t i = 0; i + 1 < rows.size(); ++i) body += row_html(rows[i]);
  return "<section>\n<h2>All figures</h2>\n" +
         table_html("Loads, before and after", kHead, body, row_html(rows.back())) +
         "<p class=\"note\">MB are millions of bytes; MB before and after are what the drive "
         "delivers. Seconds are those that the drive is busy. The bound is the needed bytes at the "
         "drive's rate and one seek.</p>\n</section>\n";
}

std::string warnings_section(const Report& report) {
  if (report.warnings.empty()) return {};
  return fmt::format("<section class=\"warnings\">\n<h2>{}</h2>\n{}</section>\n",
                     report.warnings.size() == 1 ? "Warning" : "Warnings",
                     list_html(report.warnings));
}

std::string assumptions_section(const Report& report) {
  if (report.assumptions.empty()) return {};
  return fmt::format("<section>\n<h2>Assumptions</h2>\n{}</section>\n",
                     list_html(report.assumptions));
}

std::string table_html(std::string_view label, std::string_view head, std::string_view body,
                       std::string_view foot) {
  const std::string last = foot.empty() ? "" : fmt::format("<tfoot>\n{}</tfoot>\n", foot);
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n"
      "<thead>\n{}</thead>\n<tbody>\n{}</tbody>\n{}</table>\n</div>\n",
      label, head, body, last);
}

std::string result_sentence(const Report& report) {
  const size_t count = report.scenarios.size();
  if (count == 0) return fmt::format("No load was measured on {}.", report.drive);
  const LoadTotal total = total_of(report.scenarios);
  const bool one = count == 1;
  const auto [after, before] = seconds_texts(total.after.seconds, total.before.seconds);
  std::string out =
      fmt::format("{} {} of {}{} {} {} of {} time instead of {} on {}{}", number_word(count),
                  one ? "load" : "loads", bytes_text(total.needed_bytes), one ? "" : " in all",
                  one ? "takes" : "take", after, report.capacity_bytes == 0 ? "drive" : "disk",
                  before, report.drive, comparison(total.before.seconds, total.after.seconds));
  if (total.before.seeks == 0 && total.after.seeks == 0) return out + ".";
  return out + fmt::format("; seeks {} \xe2\x86\x92 {}.", grouped(total.before.seeks),
                           grouped(total.after.seeks));
}

// The verdict contains the figures of result_sentence(); the facts below it have the others.
std::string lead_of(const Report& report) {
  return report.verdict ? report.verdict->text : result_sentence(report);
}

std::string to_html(const Report& report) {
  const std::string capacity =
      report.capacity_bytes == 0 ? "solid state" : bytes_text(report.capacity_bytes);
  return page_html(fmt::format("What the packs win on {} ({})", report.drive, capacity),
                   lead_of(report),
                   facts_html(report) + warnings_section(report) + bars_section(report) +
                       heads_section(report) + map_section(report) + plan_section(report) +
                       loads_section(report) + packs_section(report) + assumptions_section(report));
}

std::string page_html(std::string_view title, std::string_view lead, std::string_view body) {
  return filled(page_skeleton(), {{"title", escape_html(title)},
                                  {"style", std::string(page_style())},
                                  {"lead", escape_html(lead)},
                                  {"body", std::string(body)}});
}

}  // namespace seekless
