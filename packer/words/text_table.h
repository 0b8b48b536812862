// A table for a terminal: the first column takes what room the others leave, and cuts what is too
// long in the middle; the others are for numbers, and stand to the right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace seekless {

struct TextTable {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;  // as many cells each as there are headings

  // Cells are cleaned. Lines are no wider than `columns`, unless the numbers alone are.
  std::string to_text(size_t columns) const;
};

}  // namespace seekless
