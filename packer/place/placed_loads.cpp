#include "packer/place/placed_loads.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "packer/drive/drive.h"
#include "packer/drive/fits_on.h"
#include "packer/host/files.h"
#include "packer/place/mover.h"

namespace seekless {

Result<FilePlaces> places_on_disk(const Content& content,
                                  const std::vector<ScenarioFiles>& scenarios, uint64_t device,
                                  const std::function<void(std::string_view)>& warn) {
  FilePlaces places(content.sources.size());
  std::set<std::string> known;
  std::vector<std::string> elsewhere;
  for (const ScenarioFiles& scenario : scenarios)
    for (const uint32_t file : scenario.files) {
      const std::string path = canonical_path(std::string(content.sources[file].path));
      if (!known.insert(path).second) continue;
      SKL_TRY(const auto own_device, common_device({path}));
      if (own_device != device) {
        elsewhere.push_back(path);
        continue;
      }
      SKL_TRY(auto place, read_extents(path));
      places[file] = std::move(place);
    }
  if (!elsewhere.empty())
    warn(fmt::format(
        "{}: {} on another file system, left out; place such files on their own", elsewhere.front(),
        elsewhere.size() == 1 ? "lies" : fmt::format("lies with {} others", elsewhere.size() - 1)));
  return places;
}

Result<double> PlacedLoads::seconds_of_run(const ContentRun& run, const FilePlaces& places) const {
  RunOnPieces on_drive(drive_, read_ahead_, places, {.folders = &folders_});
  for (const Event& event : run.events) SKL_TRY_DO(on_drive.add(event));
  return on_drive.cost().seconds;
}

Result<double> PlacedLoads::seconds(const ScenarioFiles& scenario, const FilePlaces& places) const {
  const Drive drive(drive_);
  SKL_TRY_DO(check_fits_on(drive, folders_));
  for (const uint32_t file : scenario.files) SKL_TRY_DO(check_fits_on(drive, places[file]));
  std::vector<double> all;
  for (const uint32_t run : scenario.runs) {
    SKL_TRY(const auto seconds, seconds_of_run(runs_.run(run), places));
    all.push_back(seconds);
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
