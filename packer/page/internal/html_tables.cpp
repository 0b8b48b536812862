#include "packer/page/internal/html_tables.h"

#include <fmt/format.h>

#include "packer/page/internal/html_parts.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

std::string cell_html(const TextColumn& column, const std::string& text, bool is_first) {
  if (is_first) return fmt::format("<th scope=\"row\">{}</th>", escape_html(text));
  return fmt::format("<td{}>{}</td>", column.is_name ? " class=\"text\"" : "", escape_html(text));
}

std::string text_table_html(const ReportTable& table) {
  std::string head = "<tr>";
  for (const TextColumn& column : table.columns)
    head += fmt::format("<th{} scope=\"col\">{}</th>", column.is_name ? " class=\"text\"" : "",
                        escape_html(column.title));
  std::string rows;
  for (const std::vector<std::string>& row : table.rows) {
    rows += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) rows += cell_html(table.columns[i], row[i], i == 0);
    rows += "</tr>\n";
  }
  std::string out = table_html(table.title, head + "</tr>\n", rows, "");
  if (table.left_out > 0)
    out += fmt::format("<p class=\"note\">And {} more.</p>\n", grouped(table.left_out));
  return out;
}

}  // namespace

std::string table_section(const ReportTable& table, std::string_view note) {
  if (table.rows.empty()) return {};
  return fmt::format(
      "<section>\n<h2>{}</h2>\n{}{}</section>\n", escape_html(table.title), text_table_html(table),
      note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", escape_html(note)));
}

}  // namespace seekless
