// What scenarios cost from packs, as simulate, report and the verdicts tell it: those that were
// planned by their sweep, others by the typical one's, if there is one, and asset by asset; what
// isn't in the packs is never a gain.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/simulate/pack_load.h"
#include "packer/simulate/replay.h"

namespace seekless {

enum class PackPolicy : uint8_t { sweep, demand };

struct PackedLoad {
  SimulatedLoad load;
  uint64_t assets = 0;  // needed
  bool is_swept = false;
  bool is_typical = false;  // not planned: the typical scenario is swept, the rest asked for
  uint64_t missing = 0;     // of the assets that its median run reads: charged as read one by one
};

// By scenario: those of `runs`, which were replayed on `content`.
using PackedLoads = std::map<std::string, PackedLoad>;

// `drive`: the number of the packs' drive among those of the replay. Error: none of what the
// scenarios read is in the packs, so that they belong to other content. What else isn't as planned
// is added to `warnings`.
Result<PackedLoads> packed_loads(const PacksOnDrive& packs, PackPolicy policy,
                                 const std::map<std::string, std::vector<ReplayedRun>>& runs,
                                 size_t drive, const Content& content,
                                 const SimulationOptions& options,
                                 std::vector<std::string>& warnings);

// The same without content, when nobody knows what a run reads: only sweeps of those of `scenarios`
// that were planned. Error: there is none.
Result<PackedLoads> swept_loads(const PacksOnDrive& packs,
                                const std::map<std::string, uint32_t>& scenarios,
                                const SimulationOptions& options,
                                std::vector<std::string>& warnings);

}  // namespace seekless
