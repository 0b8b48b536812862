#include "packer/serve/internal/timed_questions.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>

#include "packer/host/detached_thread.h"

namespace seekless {

struct TimedQuestions::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> work;  // empty once it is done
  std::exception_ptr failure;
  bool has_thread = false;
  bool is_over = false;

  void work_until_over() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return is_over || work; });
      if (is_over) return;
      const std::function<void()> now = work;
      lock.unlock();
      std::exception_ptr failed;
      try {
        now();
      } catch (...) {
        failed = std::current_exception();
      }
      lock.lock();
      failure = failed;
      work = {};
      changed.notify_all();
    }
  }
};

TimedQuestions::TimedQuestions(std::chrono::milliseconds longest)
    : shared_(std::make_shared<Shared>()), longest_(longest) {
  try {
    run_detached([shared = shared_] { shared->work_until_over(); });
    shared_->has_thread = true;
  } catch (const std::system_error&) {
    // The caller's thread asks.
  }
}

TimedQuestions::~TimedQuestions() {
  const std::lock_guard lock(shared_->mutex);
  shared_->is_over = true;
  shared_->changed.notify_all();
}

bool TimedQuestions::does(std::function<void()> work) {
  if (!are_answered_) return false;
  if (!shared_->has_thread) {
    work();
    return true;
  }
  std::unique_lock lock(shared_->mutex);
  shared_->work = std::move(work);
  shared_->changed.notify_all();
  are_answered_ = shared_->changed.wait_for(lock, longest_, [this] { return !shared_->work; });
  if (!are_answered_) return false;
  if (const auto failure = std::exchange(shared_->failure, nullptr))
    std::rethrow_exception(failure);
  return true;
}

}  // namespace seekless
