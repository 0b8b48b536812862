// Formats a table for a terminal. The first column takes the room that the others leave, and cuts
// longer text in the middle; the others are for numbers, and are right-aligned.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace seekless {

struct TextTable {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;  // each row has as many cells as there are headings

  // Cells are cleaned. Lines are no wider than `columns`, unless the numbers alone are.
  std::string to_text(size_t columns) const;
};

}  // namespace seekless
