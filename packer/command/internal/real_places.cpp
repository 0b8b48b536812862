#include "packer/command/internal/real_places.h"

#include <string_view>

#include "packer/drive/read_ahead.h"
#include "packer/place/load_order.h"
#include "packer/place/mover.h"
#include "packer/place/placed_loads.h"

namespace seekless {

std::optional<SecondsAfter> seconds_where_files_lie(const Content& content,
                                                    const std::vector<std::string>& roots,
                                                    const KeptRuns& runs,
                                                    const DriveProfile& drive) {
  const auto device = common_device(roots);
  if (!device) return std::nullopt;
  const auto scenarios = files_by_scenario(runs);
  bool is_all_there = true;
  auto places =
      places_on_disk(content, scenarios, *device, [&](std::string_view) { is_all_there = false; });
  if (!places || !is_all_there) return std::nullopt;
  const ReadAhead read_ahead;
  const PlacedLoads loads(runs, drive, read_ahead, places_of_folders(*places));
  SecondsAfter seconds;
  for (const ScenarioFiles& scenario : scenarios) {
    const auto of = loads.seconds(scenario, *places);
    if (!of) return std::nullopt;
    seconds[scenario.scenario] = *of;
  }
  return seconds;
}

}  // namespace seekless
