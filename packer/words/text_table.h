// Formats a table for a terminal. The first column gets the width that remains, and texts that
// don't fit it lose their middle. The other columns hold numbers, aligned to the right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace seekless {

struct TextTable {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;  // each row has one cell for each heading

  // Cleans the cells. Lines are no wider than `columns`, unless the numbers alone need more.
  std::string to_text(size_t columns) const;
};

}  // namespace seekless
