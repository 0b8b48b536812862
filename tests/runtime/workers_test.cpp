#include "runtime/workers.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace seekless::runtime {
namespace {

struct Counting final : Workers::Job {
  void work() noexcept override {
    by = std::this_thread::get_id();
    done.store(true);
    done.notify_all();
  }
  std::thread::id by;
  std::atomic<bool> done = false;
};

TEST(Workers, every_job_is_done_once_on_another_thread) {
  std::vector<Counting> jobs(1000);
  {
    Workers workers;
    for (Counting& job : jobs) workers.run(job);
  }
  for (const Counting& job : jobs) {
    EXPECT_TRUE(job.done.load());
    EXPECT_NE(job.by, std::this_thread::get_id());
  }
}

TEST(Workers, a_job_may_bring_another) {
  struct Bringing final : Workers::Job {
    void work() noexcept override { workers->run(*next); }
    Workers* workers = nullptr;
    Counting* next = nullptr;
  };
  Workers workers;
  Counting last;
  Bringing first;
  first.workers = &workers;
  first.next = &last;
  workers.run(first);
  last.done.wait(false);
  EXPECT_TRUE(last.done.load());
}

TEST(Workers, jobs_of_many_threads) {
  std::vector<Counting> jobs(4000);
  {
    Workers workers;
    std::vector<std::jthread> threads;
    for (size_t part = 0; part < 4; ++part)
      threads.emplace_back([&, part] {
        for (size_t i = part * 1000; i < (part + 1) * 1000; ++i) workers.run(jobs[i]);
      });
    threads.clear();
  }
  for (const Counting& job : jobs) EXPECT_TRUE(job.done.load());
}

}  // namespace
}  // namespace seekless::runtime
