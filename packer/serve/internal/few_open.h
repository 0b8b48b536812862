// Keeps the most recently used open files, by number: opening one more closes the one unused for
// longest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

namespace seekless {

template <typename Opened>
class FewOpen {
 public:
  explicit FewOpen(size_t most) : most_(most) {}

  // Returns null if the file isn't open.
  Opened* find(uint32_t number) {
    const auto found = places_.find(number);
    if (found == places_.end()) return nullptr;
    by_use_.splice(by_use_.begin(), by_use_, found->second);
    return &by_use_.front().second;
  }
  // The result is valid until the next call. `number` must not be open yet.
  Opened& add(uint32_t number, Opened opened) {
    while (by_use_.size() >= most_ && !by_use_.empty()) {
      places_.erase(by_use_.back().first);
      by_use_.pop_back();
    }
    by_use_.emplace_front(number, std::move(opened));
    places_[number] = by_use_.begin();
    return by_use_.front().second;
  }
  void close_all() {
    places_.clear();
    by_use_.clear();
  }

 private:
  using ByUse = std::list<std::pair<uint32_t, Opened>>;
  size_t most_;
  ByUse by_use_;  // the most recently used first
  std::unordered_map<uint32_t, typename ByUse::iterator> places_;
};

}  // namespace seekless
