#include "runtime/workers.h"

#include <algorithm>
#include <exception>

#include "runtime/thread.h"

namespace seekless::runtime {

Workers::Workers(bool has_threads)
    : most_(has_threads ? std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMost) : 0) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  has_work_.notify_all();
}

bool Workers::start_one() noexcept {
  try {
    threads_[started_] = start_thread([this] { serve(); });
  } catch (const std::exception&) {
    return false;
  }
  ++started_;
  return true;
}

void Workers::run(Job& job) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const bool is_one_short = waiting_ >= idle_ && started_ < most_;
    if ((is_one_short && start_one()) || started_ > 0) {
      job.next_ = nullptr;
      *end_ = &job;
      end_ = &job.next_;
      ++waiting_;
      has_work_.notify_one();
      return;
    }
  }
  job.work();
}

void Workers::serve() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    has_work_.wait(lock, [this] { return ends_ || first_ != nullptr; });
    --idle_;
    if (first_ == nullptr) return;
    Job& job = *first_;
    first_ = job.next_;
    if (first_ == nullptr) end_ = &first_;
    --waiting_;
    lock.unlock();
    job.work();
    lock.lock();
  }
}

}  // namespace seekless::runtime
