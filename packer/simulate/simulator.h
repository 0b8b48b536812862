// Simulates what recorded loads cost on several drives, today and from packs. Takes recordings, and
// returns loads.
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
  std::unique_ptr<const Content> content;  // null: not available
  std::unique_ptr<runtime::FileIo> packs;  // null: only today's loads are simulated
  std::string folder;                      // folder of the packs
  PackPolicy policy = PackPolicy::sweep;
};

// The loads of one scenario on one drive.
struct ScenarioLoads {
  std::string name;
  uint32_t runs = 0;
  std::optional<SimulatedLoad> today;  // the median run; none without content
  std::optional<PackedLoad> packs;
};

class Simulator {
 public:
  // Fails for packs that can't be read, and for rules whose files don't exist or don't fit a drive.
  static Result<Simulator> create(SimulatorSetup setup);

  const SimulatorSetup& setup() const { return setup_; }

  // The recordings go to one of these two: the replay, which is null if no content was given, or
  // scenarios(), which takes only the scenarios' names.
  BaselineReplay* replay() const { return replay_.get(); }
  ScenarioRuns& scenarios() { return scenarios_; }

  // Returns the loads of all scenarios for each drive, once the recordings were taken. Deviations
  // from the plan are added to `warnings`, once. Fails if there are no reads, or if the packs
  // have other content or other scenarios.
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
