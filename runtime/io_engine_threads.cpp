// An engine of threads that each read one range at a time with File. It works on every system and
// for every file.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/io_engine.h"
#include "runtime/thread.h"

namespace seekless::runtime {
namespace {

class ThreadsEngine final : public IoEngine {
 public:
  ThreadsEngine(uint32_t threads, IoEngine* told) : told_(told) {
    threads_.reserve(threads);
    try {
      while (threads_.size() < threads) threads_.push_back(start_thread([this] { work(); }));
    } catch (const std::exception&) {
      if (threads_.empty()) throw;
    }
  }

  ~ThreadsEngine() override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.clear();
      ends_ = true;
    }
    has_work_.notify_all();
  }

  uint32_t depth() const override { return static_cast<uint32_t>(threads_.size()); }

  void submit(IoRead& read) override {
    read.failure.reset();
    {
      const std::lock_guard lock(mutex_);
      waiting_.push(read);
    }
    has_work_.notify_one();
  }

  size_t reap(std::span<IoRead*> done, uint32_t timeout_ms) override {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return !done_.empty() || is_woken_; };
    if (timeout_ms == kForEver)
      has_answer_.wait(lock, is_over);
    else
      has_answer_.wait_for(lock, std::chrono::milliseconds(timeout_ms), is_over);
    is_woken_ = false;
    return done_.pop_to(done);
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      is_woken_ = true;
    }
    has_answer_.notify_one();
  }

 private:
  void work() noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      has_work_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      IoRead& read = waiting_.pop();
      lock.unlock();
      const DeviceWait wait;
      read_now(read);
      read.has_waited = wait.has_happened();
      lock.lock();
      done_.push(read);
      has_answer_.notify_one();
      if (told_ != nullptr) told_->wake();
    }
  }

  IoEngine* const told_;
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable has_answer_;
  IoRow waiting_;
  IoRow done_;
  bool is_woken_ = false;
  bool ends_ = false;
  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

}  // namespace

std::unique_ptr<IoEngine> make_threads_engine(uint32_t threads, IoEngine* told) {
  return std::make_unique<ThreadsEngine>(threads, told);
}

}  // namespace seekless::runtime
