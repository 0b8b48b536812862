#include "packer/place/placed_loads.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "packer/drive/drive.h"
#include "packer/drive/fits_on.h"
#include "packer/drive/page_cache.h"
#include "packer/host/files.h"
#include "packer/place/mover.h"
#include "packer/simulate/simulated.h"

namespace seekless {
namespace {

// Simulates a run on files in pieces. The page cache expects files in one piece, so it sees them
// one after the other, and its requests to the drive are then translated to the real pieces.
class RunOnPieces {
 public:
  RunOnPieces(const DriveProfile& profile, const ReadAhead& read_ahead, const FolderPlaces& folders,
              const FilePlaces& places)
      : drive_(profile),
        cache_(drive_, read_ahead),
        opened_(places.size()),
        finder_(folders),
        places_(places) {
    send_head_away(drive_);
  }

  Result<void> add(const Event& event) {
    if (places_[event.path].extents.empty()) return {};
    auto& opened = opened_[event.path];
    if (!opened) {
      finder_.find(places_[event.path], drive_);
      const uint64_t size = places_[event.path].size_bytes;
      SKL_TRY(const auto added, cache_.add_file(next_, size));
      begins_.push_back(next_);
      files_.push_back(event.path);
      next_ += whole_blocks(size);
      opened.emplace(added, cache_.open(added));
    }
    CachedFile& file = opened->second;
    if (event.kind == EventKind::open) {
      file = cache_.open(opened->first);
      return {};
    }
    const auto misses = event.kind == EventKind::map
                            ? cache_.faults(file, event.offset_bytes, event.length_bytes)
                            : cache_.misses(file, event.offset_bytes, event.length_bytes);
    for (const DriveRead& miss : misses) read(miss);
    return {};
  }

  double seconds() const { return drive_.counters().busy_ms / 1000; }

 private:
  void read(const DriveRead& miss) {
    const auto after = std::ranges::upper_bound(begins_, miss.position_bytes);
    const auto which = static_cast<size_t>(after - begins_.begin()) - 1;
    const uint64_t begin = miss.position_bytes - begins_[which];
    const uint64_t end = begin + miss.length_bytes;
    for (const Extent& piece : places_[files_[which]].extents) {
      const uint64_t from = std::max(begin, piece.offset_bytes);
      const uint64_t to = std::min(end, piece.offset_bytes + whole_blocks(piece.length_bytes));
      if (from < to) drive_.read(piece.place_bytes + (from - piece.offset_bytes), to - from);
    }
  }

  Drive drive_;
  PageCache cache_;
  std::vector<std::optional<std::pair<uint32_t, CachedFile>>> opened_;  // indexed by file
  FileFinder finder_;
  const FilePlaces& places_;
  std::vector<uint64_t> begins_;
  std::vector<uint32_t> files_;
  uint64_t next_ = 0;
};

}  // namespace

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
  RunOnPieces on_drive(drive_, read_ahead_, folders_, places);
  for (const Event& event : run.events) SKL_TRY_DO(on_drive.add(event));
  return on_drive.seconds();
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
