// Sorts items and removes repetitions.
#pragma once

#include <algorithm>
#include <vector>

namespace seekless {

// Leaves the items in ascending order, each once.
template <typename Item>
void keep_each_once(std::vector<Item>& items) {
  std::ranges::sort(items);
  const auto again = std::ranges::unique(items);
  items.erase(again.begin(), again.end());
}

}  // namespace seekless
