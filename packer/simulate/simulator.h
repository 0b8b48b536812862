// What recorded loads cost on several drives, today and from packs: takes recordings, gives loads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/simulate/disk_map.h"
#include "packer/simulate/packed_loads.h"
#include "packer/simulate/replay.h"
#include "packer/trace/scenario_runs.h"
#include "runtime/file_io.h"

namespace seekless {

struct SimulatorSetup {
  std::vector<DriveProfile> drives;
  std::vector<PlaceRule> rules;
  SimulationOptions options;
  std::unique_ptr<const Content> content;  // null: it isn't at hand
  std::unique_ptr<runtime::FileIo> packs;  // null: only what loads cost today
  std::string folder;                      // of the packs
  PackPolicy policy = PackPolicy::sweep;
};

// Of one scenario, on one drive.
struct ScenarioLoads {
  std::string name;
  uint32_t runs = 0;
  std::optional<SimulatedLoad> today;  // of the run in the middle; none without content
  std::optional<PackedLoad> packs;
};

class Simulator {
 public:
  // Error: packs that can't be read, rules for files that there aren't or that don't fit a drive.
  static Result<Simulator> create(SimulatorSetup setup);

  const SimulatorSetup& setup() const { return setup_; }

  // Takes the recordings: with content its replay (else null), without it the scenarios' names.
  BaselineReplay* replay() const { return replay_.get(); }
  ScenarioRuns& scenarios() { return scenarios_; }

  // By drive, each with all its scenarios, once the recordings were taken. What isn't as planned is
  // added to `warnings`, once. Error: no reads; packs of other content or other scenarios.
  Result<std::vector<std::vector<ScenarioLoads>>> loads(std::vector<std::string>& warnings) const;

 private:
  explicit Simulator(SimulatorSetup setup) : setup_(std::move(setup)) {}

  Result<void> place_content();
  std::vector<ScenarioLoads> loads_today(size_t drive) const;
  Result<PackedLoads> loads_from_packs(size_t drive, std::vector<std::string>& warnings) const;

  SimulatorSetup setup_;
  std::vector<FileToPlace> pack_files_;
  std::unique_ptr<BaselineReplay> replay_;
  ScenarioRuns scenarios_;
};

}  // namespace seekless
