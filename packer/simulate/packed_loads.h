// Simulates what scenarios cost from packs, for simulate, report and the verdicts. Planned
// scenarios are read with their sweep. Other scenarios are read with the typical scenario's sweep,
// if there is one, and the rest asset by asset. Assets that aren't in the packs never count as a
// gain.
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
  uint64_t assets = 0;  // assets that are needed
  bool is_swept = false;
  // The packs weren't planned for it, so the typical scenario is swept, and other assets are
  // requested.
  bool is_typical = false;
  // Assets of the median run that the packs lack; they are charged as single reads.
  uint64_t missing = 0;
};

// Keyed by scenario.
using PackedLoads = std::map<std::string, PackedLoad>;

// `drive` is the index of the packs' drive among those of the replay. Fails if nothing that the
// scenarios read is in the packs, because then they belong to other content. Other deviations from
// the plan are added to `warnings`.
Result<PackedLoads> packed_loads(const PacksOnDrive& packs, PackPolicy policy,
                                 const std::map<std::string, std::vector<ReplayedRun>>& runs,
                                 size_t drive, const Content& content,
                                 const SimulationOptions& options,
                                 std::vector<std::string>& warnings);

// Does the same without content, when the assets of a run aren't known: only planned scenarios of
// `scenarios` are swept. Fails if there is none.
Result<PackedLoads> swept_loads(const PacksOnDrive& packs,
                                const std::map<std::string, uint32_t>& scenarios,
                                const SimulationOptions& options,
                                std::vector<std::string>& warnings);

}  // namespace seekless
