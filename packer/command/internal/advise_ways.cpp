#include "packer/command/internal/advise_ways.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/command/internal/next_step.h"
#include "packer/command/internal/repack_inputs.h"
#include "packer/drive/drive.h"
#include "packer/foresee/fetch_plan.h"
#include "packer/foresee/play_forecast.h"
#include "packer/foresee/swept_pages.h"
#include "packer/host/block_device.h"
#include "packer/host/files.h"
#include "packer/host/own_folder.h"
#include "packer/host/whole_files.h"
#include "packer/place/mover.h"
#include "packer/place/place_plan.h"
#include "packer/place/placed_loads.h"
#include "packer/repack/overlay.h"
#include "packer/serve/serving_parts.h"
#include "packer/serve/session.h"
#include "packer/simulate/replay.h"
#include "packer/warm/warm_forecast.h"

namespace seekless {
namespace {

using Words = std::vector<std::string>;
constexpr const char* kNoRecording =
    "needs a recording: 'seekless play --trace game.1.trace FOLDER -- GAME' makes one";

// Holds files in the order in which they are found, and reads of them. SweepRead::file is an index
// in `files`.
struct FoundAndRead {
  std::vector<FileExtents> files;
  std::vector<SweepRead> reads;
};

// Holds what a load reads at once, for ways that read ahead of the game.
struct ForeseenLoad {
  FoundAndRead by_warm;
  PlayedLoad by_play;
  uint64_t copied_bytes = 0;
};

// Returns the files that the reads need in the order `found`, which has each of them.
FoundAndRead in_order_of(const std::vector<uint32_t>& found, const LyingFiles& lying,
                         std::vector<SweepRead> reads) {
  FoundAndRead ordered;
  std::vector<uint32_t> number_of(lying.files.size());
  for (const uint32_t file : found) {
    number_of[file] = static_cast<uint32_t>(ordered.files.size());
    ordered.files.push_back(lying.files[file]);
  }
  for (SweepRead& read : reads) read.file = number_of[read.file];
  ordered.reads = std::move(reads);
  return ordered;
}

// Adds the pages of a range that aren't known yet.
void add_pages(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes, PageKeys& known,
               std::vector<PageKey>& pages) {
  const uint64_t end = offset_bytes + length_bytes;
  for (uint64_t page = offset_bytes / kSeenPageBytes; page * kSeenPageBytes < end; ++page)
    if (known.insert(page_key(file, page)).second) pages.push_back(page_key(file, page));
}

std::vector<PageKey> pages_read(const ContentRun& run) {
  std::vector<PageKey> pages;
  PageKeys known;
  for (const Event& event : run.events)
    if (event.kind != EventKind::open)
      add_pages(event.path, event.offset_bytes, event.length_bytes, known, pages);
  return pages;
}

// Returns the pages that reach `play` if the run's reads are made in a served folder. The reads of
// runs that `play` itself has seen are these pages already.
std::vector<PageKey> pages_served(const AdvisedGame& game, const ContentRun& run) {
  if (game.profile == nullptr) return pages_read(run);
  std::vector<uint64_t> file_bytes;
  for (const Source& source : game.content.sources) file_bytes.push_back(source.size_bytes);
  std::vector<PageKey> pages;
  PageKeys known;
  const ReadAhead read_ahead = {.max_bytes = kServedReadAheadBytes};
  for (const RequestedRange& range : requested_ranges(run.events, file_bytes, read_ahead))
    add_pages(range.file, range.offset_bytes, range.length_bytes, known, pages);
  return pages;
}

// Learns the runs of one scenario as `play` does.
Learned learned_from(const AdvisedGame& game, const ScenarioFiles& scenario) {
  Learned learned;
  learned.files.resize(game.content.sources.size());
  learned.places = game.lying.files;
  for (const uint32_t run : scenario.runs)
    learn(learned, {.is_start = true, .pages = pages_served(game, game.runs.run(run))});
  return learned;
}

// Returns the pages that all runs read, in the order of the recordings.
std::vector<PageKey> all_pages(const AdvisedGame& game, const ScenarioFiles& scenario) {
  std::vector<PageKey> pages;
  for (const uint32_t run : scenario.runs) {
    const auto read = pages_read(game.runs.run(run));
    pages.insert(pages.end(), read.begin(), read.end());
  }
  return pages;
}

// Returns the files of the pages, each once, in the order of their first pages.
std::vector<uint32_t> files_of_pages(const std::vector<PageKey>& pages) {
  std::vector<uint32_t> files;
  std::set<uint32_t> known;
  for (const PageKey page : pages)
    if (known.insert(file_of_page(page)).second) files.push_back(file_of_page(page));
  return files;
}

ForeseenLoad foreseen(const AdvisedGame& game, const ScenarioFiles& scenario) {
  const uint64_t gap_bytes = Drive(game.drive.profile).break_even_gap_bytes(0);
  const Learned learned = learned_from(game, scenario);
  const std::vector<PageKey> pages = all_pages(game, scenario);
  const std::vector<uint32_t> found = files_of_pages(pages);
  ForeseenLoad load;
  load.by_warm = in_order_of(found, game.lying,
                             plan_sweep(game.lying.files, ranges_of_pages(pages), gap_bytes));
  const auto most = std::ranges::max_element(learned.scenarios, {}, &LearnedScenario::runs);
  if (most == learned.scenarios.end()) return load;
  FetchPlan plan = plan_originals(learned, swept_own(*most, {}, SweptFrom::kOriginals), gap_bytes);
  load.by_play = {
      .folder = canonical_path(game.folder()), .found = found, .chunks = std::move(plan.chunks)};
  load.copied_bytes = swept_own(*most, {}, SweptFrom::kCopies).size() * kSeenPageBytes;
  return load;
}

// One piece, for room whose place isn't known.
std::vector<Extent> any_room(uint64_t bytes) {
  return {{0, 0, bytes}};
}

class WaysOfGame {
 public:
  explicit WaysOfGame(const AdvisedGame& game)
      : game_(game), scenarios_(files_by_scenario(game.runs)), folder_(game.folder()) {
    for (const ScenarioFiles& scenario : scenarios_) foreseen_.push_back(foreseen(game, scenario));
    if (const auto room = find_free_room(folder_, kSeenPageBytes); !room)
      why_not_written_ = room.error().message;
  }

  std::vector<AdvisedWay> all() {
    std::vector<AdvisedWay> ways = {plain(), play(), laid_out(), warm(), place()};
    add_archive_ways(ways);
    ways.push_back(packs());
    return best_first(std::move(ways));
  }

 private:
  double mean(const std::function<std::optional<double>(size_t)>& seconds_of) const {
    double sum = 0;
    for (size_t i = 0; i < scenarios_.size(); ++i) sum += seconds_of(i).value_or(0);
    return sum / static_cast<double>(std::max<size_t>(1, scenarios_.size()));
  }

  AdvisedWay plain() const {
    double sum = 0;
    for (const JudgedLoad& load : game_.loads) sum += load.as_shipped_s;
    return {.way = LoadWay::nothing,
            .seconds = sum / static_cast<double>(std::max<size_t>(1, game_.loads.size())),
            .changes = "as shipped"};
  }

  std::optional<double> seconds_with(const FoundAndRead& of) const {
    const auto seconds =
        forecast_warm(game_.drive.profile, of.files, game_.lying.folders, of.reads);
    return seconds ? std::optional(*seconds) : std::nullopt;
  }

  std::optional<double> seconds_played(const PlayedLoad& load) const {
    const auto seconds =
        forecast_play(game_.drive.profile, game_.lying.files, game_.lying.folders, load);
    return seconds ? std::optional(*seconds) : std::nullopt;
  }

  // Returns why games can't be served here.
  std::string why_not_served() const {
    if (const auto built = check_can_serve(""); !built) return built.error().message;
    if (const auto device = open_fuse_device(); !device) return device.error().message;
    const std::vector<std::string> folders = {folder_};
    if (const auto mounted = try_to_mount(folders); !mounted) return mounted.error().message;
    return "";
  }

  AdvisedWay play() const {
    Words command = {"play", folder_};
    return {
        .way = LoadWay::play,
        .seconds = with_state(mean([&](size_t i) { return seconds_played(foreseen_[i].by_play); })),
        .changes = "no file; from the second start on",
        .undo = "play --forget",
        .command = std::move(command),
        .tail = " -- GAME",
        .why_not = why_not_served()};
  }

  // Adds what `play` reads of its own state, if that is on the same disk: four folders and a file
  // near each other, and, to write another file in the end, the maps of what is free. On an
  // emulated disk this took 0.04 to 0.06 s, as long as four accesses to places far apart.
  double with_state(double seconds) const {
    constexpr double kAccesses = 4;
    if (!is_on_the_disk(folder_of_copies())) return seconds;
    return seconds + kAccesses * Drive(game_.drive.profile).average_access_ms() / 1000;
  }

  // Copies would lie in the folder of what `play` keeps.
  static std::string folder_of_copies() {
    auto place = state_place("play", "");
    std::string path = place ? canonical_path(*place) : std::string();
    while (path.size() > 1 && kind_of_path(path) != PathKind::folder)
      path = std::string(folder_above(path));
    return path;
  }

  AdvisedWay laid_out() const {
    const uint64_t bytes =
        std::accumulate(foreseen_.begin(), foreseen_.end(), uint64_t{0},
                        [](uint64_t sum, const ForeseenLoad& of) { return sum + of.copied_bytes; });
    AdvisedWay way = {.way = LoadWay::laid_out,
                      .seconds = {},
                      .room_bytes = bytes,
                      .changes = "no file; copies of what loads read",
                      .undo = "play --forget",
                      .command = {"play", "--auto", folder_},
                      .tail = " -- GAME",
                      .why_not = why_not_served()};
    const std::string copies = folder_of_copies();
    const auto room = find_free_room(copies, std::max(bytes, kSeenPageBytes));
    way.seconds = with_state(
        mean([&](size_t i) { return laid_out_s(i, copies, room ? *room : any_room(bytes)); }));
    if (!room && way.why_not.empty()) way.why_not = room.error().message;
    return way;
  }

  // The copies of the load are read in one go; files are still looked up in their folders.
  std::optional<double> laid_out_s(size_t load, const std::string& copies,
                                   std::span<const Extent> room) const {
    PlayedLoad of = foreseen_[load].by_play;
    of.chunks.clear();
    const bool is_elsewhere = !is_on_the_disk(copies);
    if (is_elsewhere && !drive_of_path(copies).is_rotational.value_or(true))
      return seconds_played(of);
    const uint64_t device = of.found.empty() ? 0 : game_.lying.files[of.found.front()].device;
    of.chunks = {{.file = kShadowFile, .length_bytes = foreseen_[load].copied_bytes}};
    of.copies.assign(room.begin(), room.end());
    of.copies_device = is_elsewhere ? device + 1 : device;
    return seconds_played(of);
  }

  bool is_on_the_disk(const std::string& folder) const {
    const auto there = identity_of(folder);
    const auto here = identity_of(folder_);
    return there && here && there->device == here->device;
  }

  // Appends the recordings and what maps them, as they were given.
  Words with_recordings(Words words) const {
    add_traces(words, game_.repack.traces);
    return words;
  }

  Words with_content(Words words) const {
    add_content(words, game_.paths);
    return words;
  }

  std::string needs_recording() const { return game_.profile == nullptr ? kNoRecording : ""; }

  AdvisedWay warm() const {
    return {.way = LoadWay::warm,
            .seconds = mean([&](size_t i) { return seconds_with(foreseen_[i].by_warm); }),
            .changes = "no file; run it before each start",
            .command = with_content(with_recordings({"warm"})),
            .tail = " && GAME",
            .why_not = needs_recording()};
  }

  AdvisedWay place() const {
    Words command = with_recordings({"place"});
    command.insert(command.begin() + 1, game_.paths.begin(), game_.paths.end());
    AdvisedWay way = {.way = LoadWay::place,
                      .seconds = {},
                      .changes = "files' places, no byte",
                      .undo = "place --undo",
                      .command = std::move(command),
                      .why_not = needs_recording()};
    const ReadAhead read_ahead;
    const PlacedLoads loads(game_.runs, game_.drive.profile, read_ahead, game_.lying.folders);
    const Placing placing = PlacePlanner(scenarios_, loads, game_.lying.files).foresee(folder_);
    way.seconds = mean([&](size_t i) { return std::optional(placing.scenarios[i].after_s); });
    if (const auto mover = mover_for(folder_, [](std::string_view) {}); !mover)
      way.why_not = mover.error().message;
    else if (!game_.lying.are_real)
      way.why_not = game_.lying.why_not_real;
    else if (!why_not_written_.empty())
      way.why_not = why_not_written_;
    return way;
  }

  void add_archive_ways(std::vector<AdvisedWay>& ways) const {
    if (game_.profile == nullptr) {
      ways.push_back({.way = LoadWay::repack, .changes = "archives", .why_not = kNoRecording});
      return;
    }
    ways.push_back(repack());
    if (auto way = overlay()) ways.push_back(*std::move(way));
  }

  AdvisedWay repack() const {
    AdvisedWay way = {.way = LoadWay::repack,
                      .seconds = {},
                      .changes = "archives; keeps the originals",
                      .undo = "restore",
                      .command = with_content(with_recordings({"repack"}))};
    way.command.emplace_back("--in-place");
    const auto done = forecast_repacked(way);
    if (!done) way.why_not = done.error().message;
    if (way.why_not.empty() && !why_not_written_.empty()) way.why_not = why_not_written_;
    return way;
  }

  Result<void> forecast_repacked(AdvisedWay& way) const {
    RepackArguments arguments = game_.repack;
    SKL_TRY(const auto order, get_order(arguments, game_.content, *game_.profile));
    SKL_TRY(const auto planned,
            plan_repack(game_.content, arguments.roots, order, arguments.repack));
    for (const RepackedArchive& archive : planned)
      if (archive.is_repacked) way.room_bytes += archive.new_bytes;
    if (way.room_bytes == 0) {
      way.why_not = planned.empty()
                        ? "the game has no archives of kinds that 'repack' knows"
                        : "the recordings read none of the archives that 'repack' knows";
      return {};
    }
    SKL_TRY(const auto forecast,
            get_forecast(arguments, game_.content, {*game_.profile, game_.runs},
                         game_.drive.profile, planned));
    way.seconds = mean_after(forecast);
    return {};
  }

  std::optional<double> mean_after(const std::optional<RepackForecast>& forecast) const {
    if (!forecast || forecast->scenarios.empty()) return std::nullopt;
    SecondsAfter after;
    for (const ForecastScenario& of : forecast->scenarios) after[of.name] = of.after.cost.seconds;
    double sum = 0;
    for (const JudgedLoad& load : game_.loads) {
      const auto found = after.find(load.name);
      sum += found == after.end() ? load.as_shipped_s : found->second;
    }
    return sum / static_cast<double>(game_.loads.size());
  }

  // Only engines that search several zip archives take an overlay.
  std::optional<AdvisedWay> overlay() const {
    RepackArguments arguments = game_.repack;
    arguments.scan.flat_archives = false;
    arguments.repack.rewrite.alignment.bytes = 1;
    const auto content = scan_as_recorded(arguments);
    if (!content) return std::nullopt;
    EntryOrder none;
    none.read_entries.resize(content->sources.size());
    auto archives = plan_repack(*content, arguments.roots, none, arguments.repack);
    if (!archives) return std::nullopt;
    std::erase_if(*archives, [](const RepackedArchive& archive) { return archive.is_faulty; });
    if (archives->size() < 2) return std::nullopt;
    const std::string extension = extension_of(archives->front().path);
    for (const char* name : {"zz_seekless", "z_zz_seekless", "zzz_seekless", "~zz_seekless"}) {
      arguments.overlay.name = name + extension;
      auto site = find_overlay_site(*archives, {.name = arguments.overlay.name});
      if (!site) continue;
      return overlay_at(arguments, *content, *site);
    }
    return std::nullopt;
  }

  static std::string extension_of(const std::string& path) {
    const size_t dot = path.rfind('.');
    return dot == std::string::npos || path.find('/', dot) != std::string::npos ? ".zip"
                                                                                : path.substr(dot);
  }

  AdvisedWay overlay_at(RepackArguments& arguments, const Content& content,
                        const OverlaySite& site) const {
    AdvisedWay way = {.way = LoadWay::overlay,
                      .seconds = {},
                      .changes = "one archive more",
                      .undo = "restore, or rm",
                      .command = with_content(with_recordings({"repack"})),
                      .why_not = why_not_written_};
    way.command.insert(way.command.end(), {"--overlay", arguments.overlay.name});
    const std::set<std::string> known = {".pk3", ".pk4", ".PK3", ".PK4"};
    way.is_for_some_engines = !known.contains(extension_of(arguments.overlay.name));
    const auto done = forecast_overlaid(arguments, content, site, way);
    if (!done && way.why_not.empty()) way.why_not = done.error().message;
    return way;
  }

  Result<void> forecast_overlaid(RepackArguments& arguments, const Content& content,
                                 const OverlaySite& site, AdvisedWay& way) const {
    std::vector<TraceMapping> mappings;
    KeptRuns runs(content);
    SKL_TRY(const auto profile, get_profile(arguments, content, mappings, runs));
    SKL_TRY(const auto options, order_options(arguments));
    const PlannedOverlay planned = plan_overlay(profile, content, site, options);
    for (const OverlayEntry& of : planned.entries)
      way.room_bytes += site.opened[of.archive].directory.entry(of.entry).stored_bytes;
    SKL_TRY(const auto on,
            forecast_drive(arguments, game_.drive.profile, content, runs, way.room_bytes));
    SKL_TRY(const auto forecast,
            choose_storing(arguments, planned.profile, content, [&](const Storing& storing) {
              EntryOrderOptions order = options;
              RewriteOptions rewrite = arguments.repack.rewrite;
              order.storing = rewrite.storing = storing;
              return forecast_overlay({profile, runs}, content, on, site, order, rewrite);
            }));
    way.seconds = mean_after(forecast);
    return {};
  }

  // Packs are swept in one go, each byte once.
  AdvisedWay packs() const {
    return {.way = LoadWay::packs,
            .seconds = mean([&](size_t i) { return packed_s(i); }),
            .changes = "the game's engine",
            .command = {"init", folder_},
            .why_not = "only if you make the game: its engine has to read them (docs/engine.md)"};
  }

  std::optional<double> packed_s(size_t load) const {
    const std::vector<FileExtents> packs = {{.path = {},
                                             .size_bytes = foreseen_[load].copied_bytes,
                                             .extents = any_room(foreseen_[load].copied_bytes)}};
    const std::vector<SweepRead> read = {{0, 0, foreseen_[load].copied_bytes, 0}};
    const auto seconds = forecast_warm(game_.drive.profile, packs, {}, read);
    return seconds ? std::optional(*seconds) : std::nullopt;
  }

  const AdvisedGame& game_;
  const std::vector<ScenarioFiles> scenarios_;
  const std::string folder_;
  std::vector<ForeseenLoad> foreseen_;  // one for each scenario
  std::string why_not_written_;         // why this user can't write into the folder
};

}  // namespace

std::string AdvisedGame::folder() const {
  const std::string& path = paths.front();
  return kind_of_path(path) == PathKind::folder ? path : std::string(folder_above(path));
}

std::vector<AdvisedWay> advised_ways(const AdvisedGame& game) {
  return WaysOfGame(game).all();
}

}  // namespace seekless
