#include "packer/words/text_table.h"

#include <algorithm>

#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kLeastName = 10;

std::string line_of(const std::string& name, const std::vector<std::string>& cells,
                    const std::vector<size_t>& widths) {
  std::string line = pad_right(name, widths[0]);
  for (size_t i = 1; i < cells.size(); ++i)
    line += std::string(kGap, ' ') + pad_left(clean_line(cells[i]), widths[i]);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string TextTable::to_text(size_t columns) const {
  std::vector<size_t> widths(headings.size(), 0);
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(clean_line(cells[i])));
  };
  widen(headings);
  for (const auto& row : rows) widen(row);
  size_t others = 0;
  for (size_t i = 1; i < widths.size(); ++i) others += kGap + widths[i];
  const size_t room = columns > others ? columns - others : 0;
  widths[0] = std::min(widths[0], std::max(room, kLeastName));
  std::vector<std::string> names = {clean_line(headings[0])};
  for (const auto& row : rows) names.push_back(clean_line(row[0]));
  names = cut_names(names, widths[0]);
  std::string text = line_of(names[0], headings, widths);
  for (size_t i = 0; i < rows.size(); ++i) text += line_of(names[i + 1], rows[i], widths);
  return text;
}

}  // namespace seekless
