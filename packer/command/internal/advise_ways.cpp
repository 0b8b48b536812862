#include "packer/command/internal/advise_ways.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/command/internal/next_step.h"
#include "packer/command/internal/repack_inputs.h"
#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/repack/overlay.h"
#include "packer/warm/warm_forecast.h"
#include "packer/words/shell_words.h"

namespace seekless {
namespace {

using Words = std::vector<std::string>;

class WaysOfGame {
 public:
  explicit WaysOfGame(const AdvisedGame& game)
      : game_(game),
        loads_(game),
        why_not_written_(why_not_written(loads_.folder, game.tries_out)) {}

  std::vector<AdvisedWay> all() {
    std::vector<AdvisedWay> ways = {plain(), warm()};
    add_ways_of_system(loads_, ways);
    add_archive_ways(ways);
    ways.push_back(packs());
    return best_first(std::move(ways));
  }

 private:
  AdvisedWay plain() const {
    double sum = 0;
    for (const JudgedLoad& load : game_.loads) sum += load.as_shipped_s;
    return {.way = LoadWay::nothing,
            .seconds = sum / static_cast<double>(std::max<size_t>(1, game_.loads.size())),
            .changes = "as shipped"};
  }

  Words with_content(Words words) const {
    add_content(words, {.roots = game_.paths, .scan = {}});
    return words;
  }

  AdvisedWay warm() const {
    AdvisedWay way = {.way = LoadWay::warm,
                      .seconds = loads_.mean([&](size_t i) {
                        return loads_.seconds_with(loads_.foreseen[i].by_warm);
                      }),
                      .changes = "no file; run it before each start",
                      .command = with_content(loads_.with_recordings({"warm"})),
                      .tail = " && GAME"};
    loads_.note_needed_recording(way);
    return way;
  }

  void add_archive_ways(std::vector<AdvisedWay>& ways) const {
    ways.push_back(repack());
    if (game_.is_played) return;
    if (auto way = overlay()) ways.push_back(*std::move(way));
  }

  AdvisedWay repack() const {
    AdvisedWay way = {.way = LoadWay::repack,
                      .seconds = {},
                      .changes = "archives; keeps the originals",
                      .undo = "restore",
                      .command = with_content(loads_.with_recordings({"repack"})),
                      .why_not = why_not_written_};
    way.command.emplace_back("--in-place");
    const auto done = forecast_repacked(way);
    if (!done) way.why_not = done.error().message;
    loads_.note_needed_recording(way);
    return way;
  }

  Result<void> forecast_repacked(AdvisedWay& way) const {
    if (!game_.archives) return std::unexpected(game_.archives.error());
    const auto& [content, profile, runs] = *game_.archives;
    RepackArguments arguments = game_.repack;
    SKL_TRY(const auto order, get_order(arguments, content, profile));
    SKL_TRY(const auto planned, plan_repack(content, arguments.roots, order, arguments.repack));
    for (const RepackedArchive& archive : planned)
      if (archive.is_repacked) way.room_bytes += archive.new_bytes;
    if (way.room_bytes == 0) {
      way.why_not = planned.empty() ? "the game has no archives of kinds that 'repack' knows"
                                    : "loads read none of the archives that 'repack' knows";
      return {};
    }
    SKL_TRY(const auto forecast,
            get_forecast(arguments, content, {profile, runs}, game_.drive.profile, order, planned));
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

  // An overlay works only in engines that search several zip archives.
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
                      .undo = has_windows_names() ? "restore, or del" : "restore, or rm",
                      .command = with_content(loads_.with_recordings({"repack"})),
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
            .seconds = loads_.mean([&](size_t i) { return packed_s(i); }),
            .changes = "the game's engine",
            .command = {"init", loads_.folder},
            .why_not = "only if you make the game: its engine has to read them (docs/engine.md)"};
  }

  std::optional<double> packed_s(size_t load) const {
    const std::vector<FileExtents> packs = {
        {.path = {},
         .size_bytes = loads_.foreseen[load].copied_bytes,
         .extents = any_room(loads_.foreseen[load].copied_bytes)}};
    const std::vector<SweepRead> read = {{0, 0, loads_.foreseen[load].copied_bytes, 0}};
    const auto seconds = forecast_warm(game_.drive.profile, packs, {}, read);
    return seconds ? std::optional(*seconds) : std::nullopt;
  }

  const AdvisedGame& game_;
  const AdvisedLoads loads_;
  const std::string why_not_written_;
};

}  // namespace

AdvisedLoads::AdvisedLoads(const AdvisedGame& advised)
    : game(advised), folder(advised.folder()), scenarios(files_by_scenario(advised.runs)) {
  const LyingRuns lying = {.runs = advised.runs,
                           .drive = advised.drive.profile,
                           .lying = advised.lying,
                           .folder = folder,
                           .sources = advised.content.sources,
                           .is_played = advised.is_played};
  for (const ScenarioFiles& scenario : scenarios)
    foreseen.push_back(foreseen_load(lying, scenario));
}

double AdvisedLoads::mean(const std::function<std::optional<double>(size_t)>& seconds_of) const {
  double sum = 0;
  for (size_t i = 0; i < scenarios.size(); ++i) sum += seconds_of(i).value_or(0);
  return sum / static_cast<double>(std::max<size_t>(1, scenarios.size()));
}

std::optional<double> AdvisedLoads::seconds_with(const FoundAndRead& of) const {
  const auto seconds = forecast_warm(game.drive.profile, of.files, game.lying.folders, of.reads);
  return seconds ? std::optional(*seconds) : std::nullopt;
}

std::optional<double> AdvisedLoads::seconds_played(const PlayedLoad& load) const {
  const auto seconds =
      forecast_play(game.drive.profile, game.lying.files, game.lying.folders, load);
  return seconds ? std::optional(*seconds) : std::nullopt;
}

double AdvisedLoads::learned_s() const {
  return mean([&](size_t i) { return seconds_played(foreseen[i].by_play); });
}

AdvisedWay AdvisedLoads::play(double seconds, std::string why_not) const {
  return {.way = LoadWay::play,
          .seconds = seconds,
          .changes = "no file; from the second start on",
          .undo = "play --forget",
          .command = with_folders({"play"}),
          .tail = " -- GAME",
          .why_not = std::move(why_not)};
}

Words AdvisedLoads::with_folders(Words words) const {
  words.push_back(folder);
  words.insert(words.end(), game.beside.begin(), game.beside.end());
  return words;
}

Words AdvisedLoads::with_recordings(Words words) const {
  add_traces(words, game.repack.traces);
  return words;
}

void AdvisedLoads::note_needed_recording(AdvisedWay& way) const {
  way.needs_recording = game.is_played && way.why_not.empty();
  if (way.needs_recording)
    way.why_not = fmt::format("needs a recording: seekless play --trace game.1.trace {} -- GAME",
                              shell_word(folder, shell_kind_here()));
}

std::string AdvisedGame::folder() const {
  const std::string& path = paths.front();
  return kind_of_path(path) == PathKind::folder ? path : std::string(folder_above(path));
}

std::vector<AdvisedWay> advised_ways(const AdvisedGame& game) {
  return WaysOfGame(game).all();
}

}  // namespace seekless
