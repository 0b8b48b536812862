// Sorting for what is short or sorted seldom, in a third of std::sort's code: that comes anew for
// each type, about 1.4 KiB.
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
