#include "packer/place/placed_loads.h"

#include <algorithm>

#include "packer/simulate/replay.h"

namespace seekless {

double PlacedLoads::seconds(const ScenarioFiles& scenario, const FilePlaces& places) const {
  const LyingFiles lying = {.files = places, .folders = folders_};
  std::vector<double> all;
  for (const uint32_t number : scenario.runs) {
    const ContentRun run = runs_.run(number);
    all.push_back(load_of(run.events, drive_, lying, {.read_ahead = read_ahead_}, run.is_slowed)
                      .cost.seconds);
  }
  std::ranges::sort(all);
  return all[(all.size() - 1) / 2];
}

void place_one_after_the_other(std::span<const uint32_t> files, uint64_t position_bytes,
                               FilePlaces& places) {
  for (const uint32_t number : files) {
    FileExtents& file = places[number];
    if (file.extents.empty()) continue;
    file.extents = {{0, position_bytes, file.size_bytes}};
    position_bytes += whole_blocks(file.size_bytes);
  }
}

}  // namespace seekless
