#include "packer/prove/prediction.h"

#include <algorithm>
#include <map>
#include <utility>

#include "packer/drive/drive_figures.h"
#include "packer/drive/fits_on.h"
#include "packer/host/extents.h"
#include "packer/host/files.h"
#include "packer/host/whole_files.h"
#include "packer/prove/internal/run_on_pieces.h"
#include "packer/simulate/disk_map.h"
#include "packer/simulate/pack_load.h"
#include "packer/simulate/replay.h"
#include "runtime/file_io.h"

namespace seekless {
namespace {

PiecesOptions pieces_of(const ProvenDisk& disk) {
  // The platter's angle isn't known, so a seek costs half a turn on average.
  return {.turn = Drive::Turn::average, .head_bytes = disk.head_bytes, .keeps_moves = true};
}

bool lie_on(const FilePlaces& places, const Drive& drive) {
  return std::ranges::all_of(places, [&](const FileExtents& file) {
    return (file.size_bytes == 0 || file.size_bytes == file.inline_bytes ||
            !file.extents.empty()) &&
           check_fits_on(drive, file).has_value();
  });
}

void assume_places(const std::vector<std::string>& paths, ProvenFiles& files) {
  uint64_t next = 0;
  files.has_real_places = false;
  for (size_t i = 0; i < paths.size(); ++i) {
    FileExtents& file = files.places[i];
    if (file.size_bytes == 0)
      if (const auto source = open_source(paths[i])) file.size_bytes = (*source)->size_bytes();
    file.extents = {{.offset_bytes = 0, .place_bytes = next, .length_bytes = file.size_bytes}};
    next += whole_pages(file.size_bytes);
  }
}

std::vector<std::string> assets_of(const Content& content, const ContentRun& run,
                                   const DriveProfile& drive) {
  // The places don't influence which assets are read, so all are 0.
  const std::vector<uint64_t> positions(content.sources.size(), 0);
  BaselineReplay replay(content, {{drive, lying_at(files_of(content), positions)}},
                        SimulationOptions{});
  replay.replay(run);
  std::vector<std::string> paths;
  for (const auto& [name, runs] : replay.runs())
    for (const uint32_t asset : runs.front().assets) paths.emplace_back(content.assets[asset].path);
  return paths;
}

// Returns a time that no disk can beat: reading so many bytes in one piece at its fastest place. 0
// if the file system stores fewer bytes than programs read, or if the disk's rate is only assumed.
double least_seconds(uint64_t needed_bytes, uint64_t fetched_bytes, const ProvenFiles& files,
                     const ProvenDisk& disk) {
  const bool is_encoded = std::ranges::any_of(
      files.places, [](const FileExtents& file) { return file.encoded_bytes > 0; });
  const bool is_known = disk.has_measured_rate && files.has_real_places && is_disk(disk.profile);
  if (is_encoded || !is_known) return 0;
  return static_cast<double>(std::min(needed_bytes, fetched_bytes)) /
         figures_of(disk.profile).outer_bytes_per_s;
}

struct RunToProve {
  size_t number = 0;  // number of the run in the kept runs
  std::vector<Event> events;
  double seconds = 0;  // predicted
};

Result<void> replay(std::span<const Event> events, RunOnPieces& run) {
  for (const Event& event : events) SKL_TRY_DO(run.add(event));
  return {};
}

}  // namespace

ProvenFiles find_places(std::vector<std::string> paths, const DriveProfile& drive) {
  ProvenFiles files = {.paths = std::move(paths), .places = {}};
  bool is_told = true;
  for (const std::string& path : files.paths) {
    auto extents = read_extents(path);
    is_told = is_told && extents.has_value();
    files.places.push_back(extents ? *std::move(extents) : FileExtents{.path = path});
  }
  if (!is_told || !lie_on(files.places, Drive(drive))) assume_places(files.paths, files);
  return files;
}

Result<PredictedReads> predict_reads(std::span<const Event> events, const ProvenFiles& files,
                                     const ProvenDisk& disk) {
  RunOnPieces run(disk.profile, disk.read_ahead, files.places, pieces_of(disk));
  SKL_TRY_DO(replay(events, run));
  const LyingFiles lying = {.files = files.places};
  const SimulatedLoad needed =
      load_of(events, disk.profile, lying, {.read_ahead = disk.read_ahead}, false);
  return PredictedReads{
      .predicted = {.side = {.predicted = run.cost(),
                             .moves = run.moves(),
                             .measured_s = {},
                             .least_s =
                                 least_seconds(needed.needed_bytes, run.cost().bytes, files, disk)},
                    .fetched = run.fetched()},
      .needed_bytes = needed.needed_bytes,
      .bound_s = needed.bound_seconds};
}

Result<PredictedReads> predict_sweep(const std::string& folder, const std::string& scenario,
                                     std::span<const std::string> assets, const ProvenFiles& files,
                                     const ProvenDisk& disk) {
  // The runtime's reads don't depend on where the packs lie. So they are recorded on packs that lie
  // one after another, and then charged at the packs' real places.
  std::vector<FileToPlace> set;
  std::vector<uint64_t> positions;
  uint64_t next = 0;
  for (size_t i = 0; i < files.paths.size(); ++i) {
    set.push_back({files.paths[i], files.places[i].size_bytes});
    positions.push_back(next);
    next += whole_pages(files.places[i].size_bytes);
  }
  const auto io = runtime::make_system_file_io();
  const PacksOnDrive packs = {*io, folder, set, positions, disk.profile};
  SKL_TRY(const auto found, simulate_sweep(packs, scenario, assets,
                                           {.read_ahead = disk.read_ahead, .keeps_moves = true}));
  PiecesOnDrive pieces(disk.profile, files.places, pieces_of(disk));
  PredictedReads sweep = {.predicted = {},
                          .needed_bytes = found.load.needed_bytes,
                          .bound_s = found.load.bound_seconds};
  for (const HeadMove& move : found.load.moves) {
    const auto after = std::ranges::upper_bound(positions, move.position_bytes);
    const auto file = static_cast<size_t>(after - positions.begin()) - 1;
    sweep.predicted.fetched.push_back({.file = static_cast<uint32_t>(file),
                                       .offset_bytes = move.position_bytes - positions[file],
                                       .length_bytes = move.length_bytes});
    pieces.read(sweep.predicted.fetched.back());
  }
  sweep.predicted.side = {
      .predicted = pieces.cost(),
      .moves = pieces.moves(),
      .measured_s = {},
      .least_s = least_seconds(sweep.needed_bytes, pieces.cost().bytes, files, disk)};
  return sweep;
}

std::vector<Event> proven_events(std::vector<Event> events, const ReadSources& read) {
  for (Event& event : events) {
    if (event.kind == EventKind::map) event.kind = EventKind::read;
    event.path = read.number_of[event.path];
  }
  std::erase_if(events, [](const Event& event) { return event.path == kNotProven; });
  return events;
}

ReadSources files_read(const Content& content, const KeptRuns& runs, uint64_t device) {
  ReadSources read = {.paths = {}, .number_of = {}};
  read.number_of.assign(content.sources.size(), kNotProven);
  std::vector<bool> is_seen(content.sources.size());
  for (size_t i = 0; i < runs.size(); ++i)
    for (const Event& event : runs.run(i).events) {
      if (is_seen[event.path]) continue;
      is_seen[event.path] = true;
      const std::string path = canonical_path(std::string(content.sources[event.path].path));
      const auto identity = identity_of(path);
      if (!identity || identity->device != device) {
        ++read.elsewhere;
        continue;
      }
      read.number_of[event.path] = static_cast<uint32_t>(read.paths.size());
      read.paths.push_back(path);
    }
  return read;
}

Result<std::vector<LoadToProve>> loads_to_prove(const Content& content, const KeptRuns& runs,
                                                const ReadSources& read, const ProvenFiles& files,
                                                const ProvenDisk& disk) {
  std::map<std::string, std::vector<RunToProve>> by_scenario;
  for (size_t i = 0; i < runs.size(); ++i) {
    RunToProve run = {.number = i, .events = proven_events(runs.run(i).events, read)};
    RunOnPieces replayed(disk.profile, disk.read_ahead, files.places, pieces_of(disk));
    SKL_TRY_DO(replay(run.events, replayed));
    if (replayed.fetched().empty()) continue;
    run.seconds = replayed.cost().seconds;
    by_scenario[runs.scenario(i)].push_back(std::move(run));
  }
  std::vector<LoadToProve> loads;
  for (auto& [scenario, found] : by_scenario) {
    std::ranges::stable_sort(found, {}, &RunToProve::seconds);
    RunToProve& median = found[(found.size() - 1) / 2];
    SKL_TRY(auto reads, predict_reads(median.events, files, disk));
    loads.push_back({.scenario = scenario,
                     .run = median.number,
                     .events = std::move(median.events),
                     .assets = assets_of(content, runs.run(median.number), disk.profile),
                     .before = std::move(reads.predicted)});
  }
  return loads;
}

}  // namespace seekless
