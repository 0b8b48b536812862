// Runs seekless itself for the window, at most one job per game and a few at once, and keeps each
// job's last line for the page to show. Any thread may call it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/child_process.h"

namespace seekless {

enum class JobState { running, done, failed };

struct JobStatus {
  std::string what;  // "record"
  JobState state = JobState::running;
  std::string line;  // the last line that the job printed
  int64_t seconds = 0;
};

class Jobs {
 public:
  Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs();

  // Starts a job for a game. Fails if the game already has a running job, or if too many run.
  // `then` is called after the job's end. If `is_game` is set, the job runs the user's game, which
  // closing the window doesn't end.
  struct Work {
    std::string what;
    std::vector<std::string> command;
    bool is_game = false;
    std::function<Result<void>()> then = {};
  };
  Result<void> start(const std::string& game, Work work);
  // Interrupts all jobs except games, and waits for all.
  void end();
  // Interrupts the game's job, if one runs.
  void stop(const std::string& game);
  // Stores the result of work that needed no job.
  void note(const std::string& game, const std::string& what, const Result<void>& done,
            const std::string& line);

  // Returns the last job of each game.
  std::map<std::string, JobStatus> all() const;
  // Changes whenever a job ends.
  uint64_t ended() const;
  bool is_any_running() const;

 private:
  struct Job;
  void run(Job& job);

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Job>> jobs_;
  uint64_t ended_ = 0;
};

}  // namespace seekless
