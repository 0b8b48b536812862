// The C boundary: prefetches and stats.
#include "runtime/context.h"
#include "runtime/prefetch.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

// Copies the counters with the same names to the public struct.
template <typename Visit>
void for_each_count(Counts& counts, skl_stats& stats, Visit visit) {
  visit(counts.read_bytes, stats.read_bytes);
  visit(counts.reads, stats.reads);
  visit(counts.seeks, stats.seeks);
  visit(counts.sequential_bytes, stats.sequential_bytes);
  visit(counts.coalesced_requests, stats.coalesced_requests);
  visit(counts.gap_bytes, stats.gap_bytes);
  visit(counts.cache_hits, stats.cache_hits);
  visit(counts.requests, stats.requests);
  visit(counts.cancelled, stats.cancelled);
  visit(counts.missed_deadlines, stats.missed_deadlines);
  visit(counts.bypasses, stats.bypasses);
  visit(counts.would_blocks, stats.would_blocks);
  visit(counts.retried_blocks, stats.retried_blocks);
  visit(counts.damaged_blocks, stats.damaged_blocks);
  visit(counts.io_errors, stats.io_errors);
  visit(counts.canaries, stats.canaries);
  visit(counts.wait_us, stats.wait_us);
}

void tell_media(Schedulers& schedulers, skl_stats& stats) {
  const Scheduler::Report report = schedulers.report(stats.devices);
  stats.media_source = report.media.source;
  if (stats.devices > 0)
    stats.media = report.media.is_rotational ? SKL_MEDIA_ROTATIONAL : SKL_MEDIA_SOLID;
  stats.system_media = report.media.said;
  stats.media_changes = report.changes;
  stats.fast_jumps = report.fast;
  stats.slow_jumps = report.slow;
  stats.jumps_timed = report.jumps;
  stats.median_jump_us = report.median_us;
}

void tell_all(Core& core, skl_stats& stats) {
  for_each_count(core.watch.counts, stats, [](const Count& count, uint64_t& value) {
    value = count.load(std::memory_order_relaxed);
  });
  stats.budget_bytes = core.pool.budget_bytes();
  stats.used_bytes = core.pool.used_bytes();
  stats.leased_bytes = core.leases.leased_bytes();
  stats.peak_used_bytes = core.pool.peak_used_bytes();
  stats.copied_bytes = core.decoded.copied_bytes.load(std::memory_order_relaxed);
  tell_media(core.schedulers, stats);
}

}  // namespace

extern "C" {

skl_result skl_prefetch(skl_context* context, const char* scenario, uint64_t* ticket,
                        skl_error* error) {
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(*context->core, error, [&] {
    Core& core = *context->core;
    auto found = context->names.find_scenario(scenario);
    if (!found) return fill(error, found.error());
    auto prefetch = Prefetch::begin(core, std::move(*found));
    if (!prefetch) return fill(error, prefetch.error());
    const std::lock_guard lock(core.prefetching);
    std::erase_if(core.prefetches, [](const auto& earlier) { return earlier.second->is_over(); });
    const uint64_t number = core.next_ticket++;
    core.prefetches.emplace(number, std::move(*prefetch));
    if (ticket != nullptr) *ticket = number;
    return SKL_OK;
  });
}

skl_result skl_prefetch_cancel(skl_context* context, uint64_t ticket) {
  if (context == nullptr) return SKL_INVALID;
  return guarded(*context->core, nullptr, [&] {
    Core& core = *context->core;
    std::unique_ptr<Prefetch> cancelled;  // destroyed after the lock is released
    const std::lock_guard lock(core.prefetching);
    const auto found = core.prefetches.find(ticket);
    if (found == core.prefetches.end() || found->second->is_over()) return SKL_NOT_FOUND;
    cancelled = std::move(found->second);
    core.prefetches.erase(found);
    return SKL_OK;
  });
}

void skl_stats_get(skl_context* context, skl_stats* stats) {
  if (context == nullptr || stats == nullptr) return;
  skl_stats now = {};
  if (!is_forked(*context->core)) tell_all(*context->core, now);
  give_struct(now, *stats);
}

void skl_stats_reset(skl_context* context) {
  if (context == nullptr || is_forked(*context->core)) return;
  skl_stats unused = {};
  for_each_count(context->core->watch.counts, unused,
                 [](Count& count, uint64_t&) { count.store(0, std::memory_order_relaxed); });
  context->core->decoded.copied_bytes.store(0, std::memory_order_relaxed);
  context->core->pool.reset_peak();
}

void skl_stats_pins(skl_context* context,
                    void (*visit)(void* user, skl_asset asset, uint64_t bytes, uint64_t held_ms),
                    void* user) {
  if (context == nullptr || visit == nullptr) return;
  guarded(*context->core, nullptr, [&] {
    const auto pins = context->core->leases.pins();
    const uint64_t now = now_us();  // no lease has begun later
    for (const Leases::Pin& pin : pins)
      visit(user, pin.asset, pin.size_bytes, (now - pin.since_us) / 1000);
    return SKL_OK;
  });
}

}  // extern "C"
