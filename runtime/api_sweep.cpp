// The C boundary: sweeps.
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "runtime/ahead_feed.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/sweep.h"

using namespace seekless;
using namespace seekless::runtime;

struct skl_sweep final : Closable, SweptAssets {
  skl_sweep(std::shared_ptr<Core> of, const Recording& where, FoundScenario which)
      : core(std::move(of)), recording(where), found(std::move(which)) {}

  ~skl_sweep() {
    core->remove(*this);
    close();
    if (spare != nullptr) core->leases.put_back(spare);
  }
  skl_sweep(const skl_sweep&) = delete;
  skl_sweep& operator=(const skl_sweep&) = delete;

  Result<void> open() {
    auto opened = Sweep::open(
        *found.mount->pack_set(), found.scenario, core->pool,
        [this](const SweepPlan& plan) {
          return make_owned<AheadFeed>(core->memory, plan, *core, mutex, event);
        },
        core->memory);
    if (!opened) return std::unexpected(opened.error());
    sweep = std::move(*opened);
    found.mount->pack_set()->set_scenario(found.scenario);
    core->add(*this);
    core->sweep_opens(*this);
    return {};
  }

  void close() override {
    core->sweep_closes(*this);
    const std::lock_guard lock(mutex);
    if (sweep != nullptr) last_progress = sweep->progress();
    sweep.reset();
    found = {};
  }

  // A load with only the typical scenario also reads unrecorded assets, so it never causes a
  // warning.
  bool brings(skl_asset asset) const override {
    if (found.is_typical) return true;
    const skl_asset number = asset ^ found.asset_base;
    return number <= UINT32_MAX &&
           found.mount->pack_set()->is_swept(static_cast<uint32_t>(number), found.scenario);
  }

  skl_result next(skl_lease& lease, skl_error* error) {
    const std::lock_guard lock(mutex);
    lease = {};
    if (sweep == nullptr) return fill(error, SKL_CANCELLED, "the context is gone");
    // An asset is delivered only once, so nothing after this may fail.
    if (spare == nullptr) spare = core->leases.take();
    SweptPiece piece;
    const auto result = sweep->next(piece);
    if (!result) return fill(error, result.error());
    if (*result != SKL_OK) return *result;
    const skl_asset asset = found.asset_base | piece.asset;
    Lease* held = nullptr;
    if (piece.buffer != nullptr) {
      held = std::exchange(spare, nullptr);
      core->leases.begin(*held, core, piece.buffer, asset, piece.data.size());
    }
    lease = {asset, piece.asset_bytes, piece.offset_bytes, piece.data.data(), piece.data.size(),
             held};
    if (recording.is_on())
      recording.note_read(asset, piece.offset_bytes, piece.data.size(), now_ns(), 0);
    return SKL_OK;
  }

  const std::shared_ptr<Core> core;
  const Recording& recording;  // the context's; not used once `sweep` is null
  FoundScenario found;         // outlives the sweep
  mutable std::mutex mutex;
  const std::shared_ptr<Event> event = std::allocate_shared<Event>(Allocator<Event>(core->memory));
  Owned<Sweep> sweep;      // null after the context is destroyed
  Lease* spare = nullptr;  // the record for the next lease
  skl_progress last_progress = {};
};

namespace {

skl_result counted(const skl_sweep& sweep, skl_result result) {
  if (result == SKL_WOULD_BLOCK) add(sweep.core->watch.counts.would_blocks);
  return result;
}

}  // namespace

extern "C" {

skl_result skl_context_set_scenario(skl_context* context, const char* scenario, skl_error* error) {
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(*context->core, error, [&] {
    const auto set = context->names.set_scenario(scenario);
    return set ? SKL_OK : fill(error, set.error());
  });
}

skl_result skl_sweep_open(skl_context* context, const char* scenario, skl_sweep** out,
                          skl_error* error) {
  if (context == nullptr || out == nullptr) return invalid(error, "expected a context and out");
  return guarded(*context->core, error, [&] {
    auto found = context->names.find_scenario(scenario);
    if (!found) return fill(error, found.error());
    auto sweep = make_owned<skl_sweep>(context->core->memory, context->core, context->recording,
                                       std::move(*found));
    if (auto opened = sweep->open(); !opened) return fill(error, opened.error());
    *out = sweep.release();
    return SKL_OK;
  });
}

skl_result skl_sweep_next(skl_sweep* sweep, skl_lease* lease, skl_error* error) {
  if (sweep == nullptr || lease == nullptr) return invalid(error, "expected a sweep and a lease");
  return guarded(*sweep->core, error, [&] { return counted(*sweep, sweep->next(*lease, error)); });
}

skl_result skl_sweep_wait(skl_sweep* sweep, uint32_t timeout_ms, skl_lease* lease,
                          skl_error* error) {
  if (sweep == nullptr || lease == nullptr) return invalid(error, "expected a sweep and a lease");
  if (is_forked(*sweep->core, error)) return SKL_INVALID;
  const uint64_t begin = now_us();
  skl_result result = SKL_WOULD_BLOCK;
  sweep->core->look_until(*sweep->event, deadline_of(timeout_ms), [&] {
    result = guarded(error, [&] { return sweep->next(*lease, error); });
    return result != SKL_WOULD_BLOCK;
  });
  add(sweep->core->watch.counts.wait_us, now_us() - begin);
  return counted(*sweep, result);
}

skl_result skl_sweep_want(skl_sweep* sweep, skl_asset asset, skl_error* error) {
  if (sweep == nullptr) return invalid(error, "expected a sweep");
  return guarded(*sweep->core, error, [&] {
    const std::lock_guard lock(sweep->mutex);
    if (sweep->sweep == nullptr) return fill(error, SKL_CANCELLED, "the context is gone");
    const skl_asset number = asset ^ sweep->found.asset_base;
    skl_result result = SKL_NOT_FOUND;
    if (number <= UINT32_MAX) result = sweep->sweep->want(static_cast<uint32_t>(number));
    if (result == SKL_NOT_FOUND) return fill(error, result, "the asset isn't of this sweep");
    sweep->event->raise();  // wakes the waiting thread, which asks for the asset
    return result;
  });
}

void skl_sweep_progress(const skl_sweep* sweep, skl_progress* progress) {
  if (sweep == nullptr || progress == nullptr) return;
  skl_progress now = {};
  if (!is_forked(*sweep->core)) {
    const std::lock_guard lock(sweep->mutex);
    now = sweep->sweep != nullptr ? sweep->sweep->progress() : sweep->last_progress;
  }
  give_struct(now, *progress);
}

void skl_sweep_close(skl_sweep* sweep) {
  if (sweep == nullptr || is_forked(*sweep->core)) return;
  // Keeps the core alive until this returns: the sweep's memory belongs to it.
  const std::shared_ptr<Core> keeps = sweep->core;
  const Owned<skl_sweep> ends(sweep, Disowner<skl_sweep>(keeps->memory, sizeof(skl_sweep)));
}

}  // extern "C"
