// Predicts the update under other prices for rewriting packs. Pure.
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
  bool is_chosen = false;      // true for the build file's prices
  uint64_t chunk_bytes = 0;    // size of the download, in content-defined chunks
  uint64_t written_bytes = 0;  // bytes written by clients that rewrite files
  uint64_t packs_bytes = 0;    // size of all packs afterwards
  double sweep_s = 0;          // seconds of all scenarios, each multiplied by its weight
};

struct OtherPricesInputs {
  const LayoutLock& lock;
  const HashedContent& hashed;
  std::span<const AssetRules> rules;
  const Profile& profile;
  const PlanOptions& plan;
  const KeptContent& kept;
};

// Predicts the update for `chosen`, and with one of its prices halved or doubled. All packs of the
// lock must have ids.
std::vector<PricedUpdate> price_updates(const OtherPricesInputs& request,
                                        const GenerationPrices& chosen);

}  // namespace seekless
