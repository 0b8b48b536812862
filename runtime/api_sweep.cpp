// The C boundary: sweeps and leases.
#include <string>

#include "runtime/context.h"
#include "runtime/sweep.h"

using namespace seekless;
using namespace seekless::runtime;

struct skl_sweep {
  std::unique_ptr<Sweep> sweep;
  uint64_t asset_base;
};

extern "C" {

skl_result skl_sweep_open(skl_context* context, const char* scenario, skl_sweep** out,
                          skl_error* error) {
  if (context == nullptr || out == nullptr) return invalid(error, "expected a context and out");
  return guarded(error, [&] {
    const View& view = *context->view.load(std::memory_order_acquire);
    for (size_t mount = view.size(); mount-- > 0;) {
      const Catalog* catalog = view[mount]->catalog();
      const format::Scenario* found = nullptr;
      if (scenario != nullptr && catalog != nullptr) found = catalog->find_scenario(scenario);
      if (scenario == nullptr && catalog != nullptr)
        return invalid(error, "scenario: expected a name, as the latest mount is a pack set");
      if (scenario != nullptr && found == nullptr) continue;
      auto sweep = Sweep::open(*view[mount], found, context->pool);
      if (!sweep) return fill(error, sweep.error());
      *out = new skl_sweep{std::move(*sweep), asset_base(mount)};
      return SKL_OK;
    }
    return fill(
        error, SKL_NOT_FOUND,
        "no mount has the scenario '" + std::string(scenario != nullptr ? scenario : "") + "'");
  });
}

skl_result skl_sweep_next(skl_sweep* sweep, skl_lease* lease, skl_error* error) {
  if (sweep == nullptr || lease == nullptr) return invalid(error, "expected a sweep and a lease");
  return guarded(error, [&] {
    SweptPiece piece;
    const auto result = sweep->sweep->next(piece);
    if (!result) return fill(error, result.error());
    *lease = {sweep->asset_base | piece.asset,
              piece.asset_bytes,
              piece.offset_bytes,
              piece.data.data(),
              piece.data.size(),
              piece.buffer};
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
