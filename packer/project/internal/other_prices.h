// Predicts the update under other prices for making packs anew: values in, values out.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/keep/generations.h"
#include "packer/keep/lock.h"
#include "packer/layout/rules.h"
#include "packer/plan/planner.h"
#include "packer/profile/profile.h"
#include "packer/update/patch_forecast.h"

namespace seekless {

struct PricedUpdate {
  GenerationPrices prices;
  bool is_chosen = false;      // these are the build file's
  uint64_t chunk_bytes = 0;    // downloaded, in content-defined chunks
  uint64_t written_bytes = 0;  // by clients that make files anew
  uint64_t packs_bytes = 0;    // of all packs afterwards
  double sweep_s = 0;          // of all scenarios, each times its weight
};

struct PricesRequest {
  const LayoutLock& lock;
  const HashedContent& hashed;
  std::span<const AssetRules> rules;
  const Profile& profile;
  const PlanOptions& plan;
  const KeptContent& kept;
};

// For `chosen`, and with one of its prices half and twice as high. All packs of the lock have ids.
std::vector<PricedUpdate> price_updates(const PricesRequest& request,
                                        const GenerationPrices& chosen);

}  // namespace seekless
