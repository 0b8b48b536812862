// Sorts short or seldom sorted lists in a third of the code of std::sort, which takes about 1.4 KiB
// for each type.
#pragma once

#include <algorithm>
#include <functional>

namespace seekless::runtime {

template <typename Range, typename Projection = std::identity>
void heap_sort(Range& range, Projection projection = {}) {
  std::ranges::make_heap(range, {}, projection);
  std::ranges::sort_heap(range, {}, projection);
}

}  // namespace seekless::runtime
