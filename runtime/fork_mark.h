// Tells a process that was forked from the one that made a context: none of the library's threads
// exist there, and what one of them had locked stays locked. Each system has a file for it beside
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

  // Whether this process is another one than that which made the mark. Any thread.
  bool is_forked() const {
    return page_ != nullptr ? page_->load(std::memory_order_relaxed) == 0 : is_other_process();
  }

 private:
  bool is_other_process() const;

  int64_t process_ = 0;
  std::atomic<uint32_t>* page_ = nullptr;  // 0 in a forked process; null: the system can't do that
};

}  // namespace seekless::runtime
