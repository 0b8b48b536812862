#include "integration/hdd/head.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/prctl.h>

namespace seekless::hdd {
namespace {

Head::Clock::duration to_wall(double ms) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return std::chrono::duration_cast<Head::Clock::duration>(Milliseconds(ms));
}

}  // namespace

Head::Head(const DriveProfile& profile, const HeadSettings& settings, Fetch fetch, Answer answer)
    : profile_(profile),
      settings_(settings),
      fetch_(std::move(fetch)),
      answer_(std::move(answer)),
      bytes_(settings.max_length_bytes),
      drive_(profile),
      queue_(drive_, settings.queue_depth),
      thread_([this] { serve_all(); }) {}

Head::~Head() {
  {
    const Lock lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  hurry_.notify_all();
  thread_.join();
  for (const auto& [id, read] : reads_) answer_(read.tag, ENOTCONN, {});
}

void Head::read(uint64_t position_bytes, uint32_t length_bytes, void* tag) {
  {
    const Lock lock(mutex_);
    reads_[next_id_] = {position_bytes, length_bytes, tag, Clock::now()};
    queue_.submit(next_id_++, position_bytes, length_bytes);
    most_waiting_ = std::max<uint64_t>(most_waiting_, reads_.size());
  }
  work_.notify_one();
}

void Head::obey(const Order& order) {
  {
    const Lock lock(mutex_);
    switch (order.kind) {
      case Order::Kind::reset:
        drive_ = Drive(profile_);
        faults_.reset_counters();
        slow_ms_ = 0;
        most_waiting_ = 0;
        break;
      case Order::Kind::none:
        faults_.clear();
        stuck_until_ = {};
        free_at_ = Clock::now();  // otherwise the next read would be charged for this one's delay
        ++hurries_;
        break;
      case Order::Kind::fault:
        faults_.add(order.fault);
        break;
      case Order::Kind::stuck:
        stuck_until_ = Clock::now() + to_wall(order.stuck_s * 1e3);
        break;
    }
  }
  hurry_.notify_all();
}

Head::Counters Head::counters() const {
  const Lock lock(mutex_);
  Counters counters{drive_.counters(), faults_.counters(), most_waiting_};
  counters.drive.busy_ms += slow_ms_;
  return counters;
}

void Head::serve_all() {
  ::prctl(PR_SET_TIMERSLACK, 1);  // nanosecond; the default of 50 us is half of a short read
  Lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return ends_ || queue_.waiting() > 0; });
    while (!ends_ && Clock::now() < stuck_until_) {
      pause_until(lock, stuck_until_);
      free_at_ = Clock::now();
    }
    if (ends_) return;
    serve_one(lock);
  }
}

// Advances the drive's clock from when the drive became free to when the first waiting request
// arrived.
void Head::let_idle_time_pass() {
  if (!settings_.counts_idle || settings_.scale == 0) return;
  auto asked = Clock::time_point::max();
  for (const auto& [id, read] : reads_) asked = std::min(asked, read.arrived);
  if (asked > free_at_)
    drive_.wait(std::chrono::duration<double, std::milli>(asked - free_at_).count() /
                settings_.scale);
}

void Head::serve_one(Lock& lock) {
  let_idle_time_pass();
  const double start_ms = drive_.now_ms();
  const auto served = queue_.serve_next();
  const Read read = reads_.at(served->id);
  const Faults::Strike strike = faults_.on_read(read.position_bytes, read.length_bytes);
  slow_ms_ += strike.slow_ms;
  const double busy_ms = served->busy_ms + strike.slow_ms;
  if (settings_.on_served)
    settings_.on_served({start_ms, busy_ms, read.position_bytes, read.length_bytes});
  free_at_ = std::max(read.arrived, free_at_) + to_wall(busy_ms * settings_.scale);

  lock.unlock();
  const auto bytes = std::span(bytes_).first(read.length_bytes);
  const int os_error = strike.fails ? EIO : fetch_(read.position_bytes, bytes);
  lock.lock();
  pause_until(lock, free_at_);
  reads_.erase(served->id);
  lock.unlock();
  answer_(read.tag, os_error, bytes);
  lock.lock();
}

// Sleeps until an absolute time of a monotonic clock, so that wake-up delays never add up. A
// processor that slept for as long as a seek takes 0.14 ms to wake up, which would be 2 % of each
// random read. So this wakes up early and polls the clock for the remaining time.
void Head::pause_until(Lock& lock, Clock::time_point time) {
  constexpr auto kWakingUp = std::chrono::microseconds(250);
  const auto is_hurried = [this, before = hurries_] { return ends_ || hurries_ != before; };
  if (hurry_.wait_until(lock, time - kWakingUp, is_hurried)) return;
  lock.unlock();
  while (Clock::now() < time) continue;
  lock.lock();
}

}  // namespace seekless::hdd
