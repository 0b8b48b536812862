// Tells whether a process was forked from the one that made a context. In such a process none of
// the library's threads exist, and their locks stay locked. Each system has its own file beside
// fork_mark_posix.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace seekless::runtime {

class ForkMark {
 public:
  ForkMark();
  ~ForkMark();
  ForkMark(const ForkMark&) = delete;
  ForkMark& operator=(const ForkMark&) = delete;

  // Returns true if this isn't the process that made the mark. Any thread may call it.
  bool is_forked() const {
    return page_ != nullptr ? page_->load(std::memory_order_relaxed) == 0 : is_other_process();
  }

 private:
  bool is_other_process() const;

  int64_t process_ = 0;
  // 0 in a forked process; null if the system has no such page.
  std::atomic<uint32_t>* page_ = nullptr;
};

}  // namespace seekless::runtime
