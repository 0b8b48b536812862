#include "packer/window/internal/jobs.h"

#include <algorithm>
#include <utility>

#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kMostJobsAtOnce = 4;
constexpr size_t kMostLineBytes = 500;

using JobClock = std::chrono::steady_clock;

// Keeps the last line that isn't empty. Progress lines end with a carriage return.
void take_lines(std::string& open, std::string_view piece, std::string& last) {
  for (const char c : piece) {
    if (c != '\n' && c != '\r') {
      if (open.size() < kMostLineBytes) open += c;
      continue;
    }
    if (!open.empty()) last = clean_line(open);
    open.clear();
  }
}

}  // namespace

struct Jobs::Job {
  Work work;
  JobStatus status;
  JobClock::time_point began = JobClock::now();
  std::unique_ptr<ChildProcess> child;
  std::thread thread;
  bool is_over = false;  // its thread is about to end
};

void Jobs::end() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [game, job] : jobs_) {
      if (job->child && !job->is_over && !job->work.is_game) job->child->interrupt();
      if (job->thread.joinable()) threads.push_back(std::move(job->thread));
    }
  }
  for (std::thread& thread : threads) thread.join();
}

Jobs::Jobs() = default;

Jobs::~Jobs() {
  end();
}

Result<void> Jobs::start(const std::string& game, Work work) {
  const std::lock_guard lock(mutex_);
  const auto running = static_cast<size_t>(
      std::ranges::count_if(jobs_, [](const auto& one) { return !one.second->is_over; }));
  const auto before = jobs_.find(game);
  if (before != jobs_.end() && !before->second->is_over)
    return failed({.place = work.what,
                   .expected = "no other work on this game",
                   .found = before->second->status.what,
                   .advice = "wait until that is done, or stop it"});
  if (running >= kMostJobsAtOnce)
    return failed({.place = work.what,
                   .expected = "less work at once",
                   .found = "enough of it",
                   .advice = "wait until some is done"});
  SKL_TRY(auto child, ChildProcess::start(work.command));
  if (before != jobs_.end() && before->second->thread.joinable()) before->second->thread.join();
  auto job = std::make_unique<Job>();
  job->status.what = work.what;
  job->work = std::move(work);
  job->child = std::make_unique<ChildProcess>(std::move(child));
  Job& begun = *job;
  jobs_[game] = std::move(job);
  begun.thread = std::thread([this, &begun] { run(begun); });
  return {};
}

void Jobs::run(Job& job) {
  std::string open;
  std::string last;
  while (const auto piece = job.child->output()) {
    take_lines(open, *piece, last);
    const std::lock_guard lock(mutex_);
    job.status.line = last;
  }
  take_lines(open, "\n", last);
  Result<void> done;
  const int code = job.child->exit_code();
  if (job.work.then) done = job.work.then();
  const std::lock_guard lock(mutex_);
  job.status.line = done ? last : done.error().message;
  job.status.state = code == 0 && done ? JobState::done : JobState::failed;
  job.status.seconds =
      std::chrono::duration_cast<std::chrono::seconds>(JobClock::now() - job.began).count();
  job.is_over = true;
  ++ended_;
}

void Jobs::stop(const std::string& game) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(game);
  if (found != jobs_.end() && !found->second->is_over && found->second->child)
    found->second->child->interrupt();
}

void Jobs::note(const std::string& game, const std::string& what, const Result<void>& done,
                const std::string& line) {
  const std::lock_guard lock(mutex_);
  const auto before = jobs_.find(game);
  if (before != jobs_.end() && !before->second->is_over) return;
  if (before != jobs_.end() && before->second->thread.joinable()) before->second->thread.join();
  auto job = std::make_unique<Job>();
  job->status = {.what = what,
                 .state = done ? JobState::done : JobState::failed,
                 .line = done ? line : done.error().message};
  job->is_over = true;
  jobs_[game] = std::move(job);
  ++ended_;
}

std::map<std::string, JobStatus> Jobs::all() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, JobStatus> all;
  for (const auto& [game, job] : jobs_) {
    all[game] = job->status;
    if (!job->is_over)
      all[game].seconds =
          std::chrono::duration_cast<std::chrono::seconds>(JobClock::now() - job->began).count();
  }
  return all;
}

uint64_t Jobs::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

bool Jobs::is_any_running() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(jobs_, [](const auto& one) { return !one.second->is_over; });
}

}  // namespace seekless
