#include "runtime/core.h"

#include <algorithm>
#include <new>

#include "runtime/prefetch.h"

namespace seekless::runtime {

Core::Core(const skl_context_options& options, const Memory& for_blocks, uint64_t budget_bytes)
    : memory(for_blocks),
      watch(options.on_canary, options.canary_user),
      pool(budget_bytes, for_blocks),
      decoded(pool, memory),
      leases(for_blocks),
      workers(options.backend != SKL_BACKEND_PUMP),
      schedulers(options, watch, for_blocks),
      is_pumped_(options.backend == SKL_BACKEND_PUMP),
      open_(for_blocks),
      sweeps_(for_blocks),
      sung_nodes_(for_blocks) {}

Core::~Core() = default;

void Core::close() {
  is_closed_.store(true, std::memory_order_release);
  {
    const std::lock_guard lock(closing_);
    for (Closable* one : open_) one->close();
  }
  {
    const std::lock_guard lock(prefetching);
    prefetches.clear();
  }
  schedulers.stop();
}

Scheduler::Pumped Core::pump(uint64_t until_us, uint32_t patience_ms) noexcept {
  return is_pumped_ ? schedulers.pump(until_us, patience_ms) : Scheduler::Pumped::idle;
}

// Returns false when the time is up.
bool Core::pump_once(const Event& event, uint64_t seen, uint64_t deadline_us) noexcept {
  // Another pumping thread may stop before it has read this one's bytes, or may request more.
  constexpr uint32_t kTurnMs = 5;
  const uint64_t now = now_us();
  if (now >= deadline_us) return false;
  const uint64_t most_us = std::min<uint64_t>(deadline_us - now, kTurnMs * 1000);
  const auto pumped = pump(0, static_cast<uint32_t>(most_us / 1000));
  if (pumped == Scheduler::Pumped::idle || pumped == Scheduler::Pumped::busy)
    event.wait_past(seen, now + most_us);
  return true;
}

void Core::add(Closable& one) {
  const std::lock_guard lock(closing_);
  open_.push_back(&one);
}

void Core::remove(Closable& one) {
  const std::lock_guard lock(closing_);
  std::erase(open_, &one);
}

void Core::sweep_opens(const SweptAssets& sweep) {
  const std::lock_guard lock(sweeping_);
  sweeps_.push_back(&sweep);
  sweep_count_.store(static_cast<uint32_t>(sweeps_.size()), std::memory_order_relaxed);
}

void Core::sweep_closes(const SweptAssets& sweep) {
  const std::lock_guard lock(sweeping_);
  std::erase(sweeps_, &sweep);
  sweep_count_.store(static_cast<uint32_t>(sweeps_.size()), std::memory_order_relaxed);
  if (sweeps_.empty()) sung_.clear();
}

void Core::note_request(skl_asset asset) noexcept {
  if (sweep_count_.load(std::memory_order_relaxed) == 0) return;
  try {
    const std::lock_guard lock(sweeping_);
    const auto brings = [asset](const SweptAssets* sweep) { return sweep->brings(asset); };
    if (sweeps_.empty() || std::ranges::any_of(sweeps_, brings)) return;
    if (!sung_.insert(asset).second) return;
  } catch (const std::bad_alloc&) {
    return;
  }
  watch.sing(SKL_CANARY_OUTSIDE_SWEEP, asset, 0, 0, 1,
             "an asset was requested during a sweep that doesn't contain it; record the scenario "
             "again if it should");
}

}  // namespace seekless::runtime
