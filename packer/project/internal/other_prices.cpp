#include "packer/project/internal/other_prices.h"

#include <algorithm>

#include "packer/keep/predict_kept.h"

namespace seekless {
namespace {

PricedUpdate price(const OtherPricesInputs& request, const GenerationPrices& prices) {
  const LockedAssets kept =
      keep_layout(request.lock, request.hashed, request.rules, prices, &request.profile);
  const PatchForecast forecast =
      predict_patch(request.lock, kept.layout, request.hashed, request.kept);
  PricedUpdate update = {.prices = prices,
                         .chunk_bytes = forecast.total().chunk_bytes,
                         .written_bytes = forecast.change.written_bytes()};
  for (const PackForecast& pack : forecast.packs) update.packs_bytes += pack.file_bytes;
  if (!request.profile.scenarios.empty())
    update.sweep_s =
        weighted_sweep_s(kept.layout, request.profile, request.hashed.content(), request.plan);
  return update;
}

}  // namespace

std::vector<PricedUpdate> price_updates(const OtherPricesInputs& request,
                                        const GenerationPrices& chosen) {
  std::vector<PricedUpdate> updates = {price(request, chosen)};
  updates.front().is_chosen = true;
  for (const double factor : {0.5, 2.0}) {
    GenerationPrices other = chosen;
    other.max_dead = std::min(1.0, chosen.max_dead * factor);
    updates.push_back(price(request, other));
    other = chosen;
    other.rewrite_price = std::max(1.0, chosen.rewrite_price * factor);
    updates.push_back(price(request, other));
  }
  return updates;
}

}  // namespace seekless
