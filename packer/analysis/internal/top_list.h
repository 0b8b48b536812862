// Keeps the greatest few of many items, in memory for those few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace seekless {

// `Before` puts first what the list shows first. It must tell any two items apart, so that the
// result doesn't depend on the order in which they came.
template <typename T, typename Before>
class TopList {
 public:
  explicit TopList(size_t most) : most_(most) {}

  void add(T item) {
    if (most_ == 0) return;
    if (items_.size() == most_) {
      if (!Before()(item, items_.front())) return;
      std::pop_heap(items_.begin(), items_.end(), Before());
      items_.pop_back();
    }
    items_.push_back(std::move(item));
    std::push_heap(items_.begin(), items_.end(), Before());
  }

  // Leaves the list empty.
  std::vector<T> take() {
    std::sort(items_.begin(), items_.end(), Before());
    return std::exchange(items_, {});
  }

 private:
  size_t most_;
  std::vector<T> items_;  // a heap; the next item to drop is at its front
};

}  // namespace seekless
