// Threads that each read one range at a time by File: works on every system, for every file.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/io_engine.h"

namespace seekless::runtime {
namespace {

class ThreadsEngine final : public IoEngine {
 public:
  explicit ThreadsEngine(uint32_t threads) {
    for (uint32_t i = 0; i < threads; ++i)
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }

  ~ThreadsEngine() override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.clear();
    }
    for (std::jthread& thread : threads_) thread.request_stop();
  }

  void submit(IoRead& read) override {
    read.failure.reset();
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(&read);
    }
    has_work_.notify_one();
  }

  void cancel(IoRead& read) override {
    const std::lock_guard lock(mutex_);
    if (std::erase(waiting_, &read) == 0) return;
    read.failure = Error{SKL_CANCELLED, read.file->name() + ": cancelled before it was read"};
    done_.push_back(&read);
  }

  size_t reap(std::span<IoRead*> done, uint32_t timeout_ms) override {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return !done_.empty() || is_woken_; };
    if (timeout_ms == kForEver)
      has_answer_.wait(lock, is_over);
    else
      has_answer_.wait_for(lock, std::chrono::milliseconds(timeout_ms), is_over);
    is_woken_ = false;
    size_t count = 0;
    for (; count < done.size() && !done_.empty(); done_.pop_front()) done[count++] = done_.front();
    return count;
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      is_woken_ = true;
    }
    has_answer_.notify_one();
  }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (has_work_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
      IoRead& read = *waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      if (auto done = read.file->read_pieces(read.offset_bytes, read.pieces); !done)
        read.failure = std::move(done.error());
      lock.lock();
      done_.push_back(&read);
      has_answer_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any has_work_;
  std::condition_variable has_answer_;
  std::deque<IoRead*> waiting_;
  std::deque<IoRead*> done_;
  bool is_woken_ = false;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace

std::unique_ptr<IoEngine> make_threads_engine(uint32_t threads) {
  return std::make_unique<ThreadsEngine>(threads);
}

}  // namespace seekless::runtime
