#include "runtime/prefetch.h"

#include <utility>

#include "runtime/sweep_plan.h"

namespace seekless::runtime {

struct Prefetch::Range final : DeviceRead {
  Range(Prefetch& of, Scheduler& by) : prefetch(of), scheduler(by) {}
  // Ignores errors: they are reported when the bytes are needed.
  void done(std::optional<Error>) override {
    const std::shared_ptr<Event> over = prefetch.over_;
    prefetch.left_.fetch_sub(1, std::memory_order_acq_rel);
    over->raise();
  }
  Prefetch& prefetch;
  Scheduler& scheduler;
};

Prefetch::Prefetch(Core& core, FoundScenario found) : core_(core), found_(std::move(found)) {}

Result<std::unique_ptr<Prefetch>> Prefetch::begin(Core& core, FoundScenario found) {
  const auto plan = SweepPlan::make_whole(*found.mount->pack_set(), found.scenario, core.memory);
  if (!plan) return std::unexpected(plan.error());
  std::unique_ptr<Prefetch> prefetch(new Prefetch(core, std::move(found)));
  for (const BlockPlace& place : plan->blocks)
    prefetch->add(place.pack->file(), place.record().offset_bytes,
                  stored_extent_bytes(place.record()));
  for (const auto& range : prefetch->ranges_) {
    prefetch->left_.fetch_add(1, std::memory_order_relaxed);
    try {
      range->scheduler.submit(*range);
    } catch (...) {
      prefetch->left_.fetch_sub(1, std::memory_order_relaxed);
      throw;
    }
  }
  return prefetch;
}

// Merges adjacent blocks into one range.
void Prefetch::add(const File& file, uint64_t offset_bytes, uint64_t length_bytes) {
  if (!ranges_.empty()) {
    Range& last = *ranges_.back();
    if (last.file == &file && last.offset_bytes + last.length_bytes == offset_bytes) {
      last.length_bytes += length_bytes;
      return;
    }
  }
  Range& range = *ranges_.emplace_back(std::make_unique<Range>(*this, core_.schedulers.of(file)));
  range.file = &file;
  range.offset_bytes = offset_bytes;
  range.length_bytes = length_bytes;
  range.priority = SKL_PRIORITY_PREFETCH;
}

Prefetch::~Prefetch() {
  for (const auto& range : ranges_) range->scheduler.cancel(*range);
  core_.look_until(*over_, Event::kNever, [this] { return is_over(); });
}

}  // namespace seekless::runtime
