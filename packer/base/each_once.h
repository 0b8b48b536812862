// Each of some things once.
#pragma once

#include <algorithm>
#include <vector>

namespace seekless {

// Rising.
template <typename Item>
void keep_each_once(std::vector<Item>& items) {
  std::ranges::sort(items);
  const auto again = std::ranges::unique(items);
  items.erase(again.begin(), again.end());
}

}  // namespace seekless
