// The C boundary: sweeps and leases.
#include "runtime/context.h"
#include "runtime/sweep.h"

using namespace seekless;
using namespace seekless::runtime;

struct skl_sweep {
  skl_context* context;
  FoundScenario found;  // outlives the sweep
  std::unique_ptr<Sweep> sweep;
};

extern "C" {

skl_result skl_sweep_open(skl_context* context, const char* scenario, skl_sweep** out,
                          skl_error* error) {
  if (context == nullptr || out == nullptr) return invalid(error, "expected a context and out");
  return guarded(error, [&] {
    auto found = context->names.find_scenario(scenario);
    if (!found) return fill(error, found.error());
    auto sweep = Sweep::open(*found->mount->pack_set(), found->scenario, context->pool);
    if (!sweep) return fill(error, sweep.error());
    *out = new skl_sweep{context, std::move(*found), std::move(*sweep)};
    return SKL_OK;
  });
}

skl_result skl_sweep_next(skl_sweep* sweep, skl_lease* lease, skl_error* error) {
  if (sweep == nullptr || lease == nullptr) return invalid(error, "expected a sweep and a lease");
  return guarded(error, [&] {
    SweptPiece piece;
    const auto result = sweep->sweep->next(piece);
    if (!result) return fill(error, result.error());
    *lease = {sweep->found.asset_base | piece.asset,
              piece.asset_bytes,
              piece.offset_bytes,
              piece.data.data(),
              piece.data.size(),
              piece.buffer};
    const Recording& recording = sweep->context->recording;
    if (*result == SKL_OK && recording.is_on())
      recording.note_read(lease->asset, lease->offset_bytes, lease->size_bytes, now_ns(), 0);
    return *result;
  });
}

void skl_sweep_progress(const skl_sweep* sweep, skl_progress* progress) {
  if (sweep != nullptr && progress != nullptr) *progress = sweep->sweep->progress();
}

void skl_sweep_close(skl_sweep* sweep) {
  delete sweep;
}

void skl_lease_retain(const skl_lease* lease) {
  if (lease != nullptr && lease->block != nullptr)
    static_cast<BlockBuffer*>(lease->block)->retain();
}

void skl_lease_release(const skl_lease* lease) {
  if (lease != nullptr && lease->block != nullptr)
    static_cast<BlockBuffer*>(lease->block)->release();
}

}  // extern "C"
