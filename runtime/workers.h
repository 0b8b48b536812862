// A few threads for CPU-bound work, such as decoding blocks. They start when there is work. If no
// thread can be started, the thread that adds a job does it.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace seekless::runtime {

class Workers {
 public:
  class Job {
   public:
    // Called once for each run(). It may destroy the job, or run it again.
    virtual void work() noexcept = 0;

   protected:
    virtual ~Job() = default;

   private:
    friend class Workers;
    Job* next_ = nullptr;
  };

  // Without threads, the thread that adds a job does it.
  explicit Workers(bool has_threads = true);
  // Finishes all jobs first.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Jobs begin in the order in which they are added. Any thread may call this, even within work().
  void run(Job& job) noexcept;

 private:
  static constexpr size_t kMost = 4;

  void serve() noexcept;
  bool start_one() noexcept;

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable has_work_;
  Job* first_ = nullptr;
  Job** end_ = &first_;
  size_t waiting_ = 0;  // waiting jobs
  size_t idle_ = 0;     // idle threads
  size_t started_ = 0;
  bool ends_ = false;
  std::array<std::jthread, kMost> threads_;  // last, so that they end before what they use
};

}  // namespace seekless::runtime
