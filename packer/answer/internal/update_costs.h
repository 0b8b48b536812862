// What an update costs players: bytes of patches, what each kind of client does with them, and
// which assets cost most. Builds tell it, and the record of releases keeps it
// (schemas/update.schema.json).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/project/build.h"
#include "packer/update/clients.h"

namespace seekless {

// Rates how well the lock's history foresees which assets change. Losses are per asset.
struct ForeseenEdits {
  uint64_t assets = 0;
  double log_loss = 0;
  double constant_log_loss = 0;  // of one chance for all assets
};

struct UpdateCosts {
  uint64_t edited_bytes = 0;  // of contents that are new, each once
  uint64_t grid_bytes = 0;    // of a patch in chunks of 1 MiB at fixed places
  uint64_t chunk_bytes = 0;   // of a patch in content-defined chunks
  std::string drive;          // that players have
  ClientCosts clients = {};
  std::vector<CostlyAsset> assets = {};        // most first
  std::vector<PricedUpdate> prices = {};       // the same update under other prices
  std::optional<ForeseenEdits> foreseen = {};  // none while the history is too short

  uint64_t written_bytes() const {  // by clients that make files anew
    return clients[static_cast<size_t>(Client::grid)].written_bytes;
  }
};

// Returns what the build's update costs on this drive; none without a lock to compare with.
std::optional<UpdateCosts> update_costs_of(const BuildOutcome& outcome, const DriveProfile& drive);

nlohmann::ordered_json to_json(const UpdateCosts& costs);
// Throws the library's exception if the JSON isn't that of an update.
UpdateCosts update_costs_of(const nlohmann::ordered_json& json);

}  // namespace seekless
