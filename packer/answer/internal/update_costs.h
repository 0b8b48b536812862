// Computes what an update costs players: the bytes of its patches, the work of each kind of client,
// and the assets that cost most. Builds show these costs, and the record of releases keeps them
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

// Rates how well the lock's history predicts which assets change. Losses are per asset.
struct ForeseenEdits {
  uint64_t assets = 0;
  double log_loss = 0;
  double constant_log_loss = 0;  // log loss if all assets have the same chance
};

struct UpdateCosts {
  uint64_t edited_bytes = 0;  // size of the contents that are new, each counted once
  uint64_t grid_bytes = 0;    // size of a patch in chunks of 1 MiB at fixed places
  uint64_t chunk_bytes = 0;   // size of a patch in content-defined chunks
  std::string drive;          // name of the players' drive
  ClientCosts clients = {};
  std::vector<CostlyAsset> assets = {};        // the most expensive first
  std::vector<PricedUpdate> prices = {};       // the same update under other prices
  std::optional<ForeseenEdits> foreseen = {};  // none while the history is too short

  uint64_t written_bytes() const {  // bytes written by clients that rewrite files
    return clients[static_cast<size_t>(Client::grid)].written_bytes;
  }
};

// Returns what the build's update costs on this drive, or none if there is no lock to compare with.
std::optional<UpdateCosts> update_costs_of(const BuildOutcome& outcome, const DriveProfile& drive);

nlohmann::ordered_json to_json(const UpdateCosts& costs);
// Reads the costs back. Throws an exception of the JSON library for any other JSON.
UpdateCosts update_costs_of(const nlohmann::ordered_json& json);

}  // namespace seekless
