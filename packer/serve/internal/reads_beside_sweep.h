// Decides what happens to a read while a sweep runs: it waits for data that the sweep is about to
// bring, and the sweep stands while anything else is read. Any thread may call any function.
#pragma once

#include <chrono>
#include <span>

#include "packer/foresee/longest_wait.h"
#include "packer/serve/internal/sweeper.h"

namespace seekless {

class ReadsBesideSweep {
 public:
  // `sweeper` must outlive this object.
  explicit ReadsBesideSweep(Sweeper& sweeper) : sweeper_(sweeper) {}

  bool is_needed() const { return sweeper_.is_busy(); }
  // Returns at once if no sweep is on its way to the pages.
  void wait_for(std::span<const PageKey> pages) {
    if (is_needed()) sweeper_.wait_for(pages, kLongestWait, kLongestHurry);
  }
  // Returns true if the sweep stands until ends() is called.
  bool begins(PageKey first) {
    if (!is_needed() || sweeper_.has_brought(first)) return false;
    sweeper_.other_read_begins();
    return true;
  }
  void ends(std::chrono::nanoseconds took) { sweeper_.other_read_ends(took > kOfMemory); }

 private:
  // A read that takes longer came from the disk.
  static constexpr auto kOfMemory = std::chrono::milliseconds(1);

  Sweeper& sweeper_;
};

}  // namespace seekless
