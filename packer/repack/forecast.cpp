#include "packer/repack/forecast.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "packer/repack/internal/planned_places.h"
#include "packer/simulate/replay.h"

namespace seekless {
namespace {

// Limit of orders that are made, each without some of the traces.
constexpr size_t kMostFolds = 5;
// With more scenarios than this, none is replayed alone, because each needs at least one more
// order.
constexpr size_t kMostAlone = 30;

using Loads = std::map<std::string, std::map<RunId, SimulatedLoad>>;  // indexed by scenario

// Allocates room for new files, one after the other.
class NewPlaces {
 public:
  NewPlaces(std::span<const Extent> room, const LyingFiles& now) : room_(room) {
    for (const FileExtents& file : now.files)
      for (const Extent& piece : file.extents) first_ = std::min(first_, piece.place_bytes);
    if (!room.empty()) room_bytes_ = room.back().offset_bytes + room.back().length_bytes;
  }

  std::vector<Extent> take(uint64_t size_bytes) {
    const uint64_t begin = taken_;
    taken_ += whole_pages(size_bytes);
    if (taken_ > room_bytes_) return {{0, (first_ == UINT64_MAX ? 0 : first_) + begin, size_bytes}};
    std::vector<Extent> pieces;
    for_each_piece(room_, begin, begin + size_bytes, [&](const Extent& piece, size_t) {
      pieces.push_back({piece.offset_bytes - begin, piece.place_bytes, piece.length_bytes});
    });
    return pieces;
  }

 private:
  std::span<const Extent> room_;
  uint64_t room_bytes_ = 0;
  uint64_t first_ = UINT64_MAX;
  uint64_t taken_ = 0;
};

// A new file gets a new inode after those of the present files, on the first file's drive.
void begin_new_file(const std::string& path, const LyingFiles& now, FileExtents& file) {
  file.path = path;
  const auto inode_on_drive = [&](const FileExtents& other) {
    return other.device == now.files.front().device ? other.ext4_inode : 0;
  };
  const auto last = std::ranges::max_element(now.files, {}, inode_on_drive);
  if (last == now.files.end() || last->ext4_inode == 0) return;
  file.device = last->device;
  file.ext4_inode = last->ext4_inode + 1;
}

// An archive isn't rewritten if only copies of its entries go to another file.
bool is_written_anew(const MovedArchive& archive) {
  if (!archive.is_moved() || !archive.added_path.empty()) return archive.is_moved();
  return std::ranges::all_of(archive.entries,
                             [](const MovedEntry& entry) { return entry.file == kSameFile; });
}

class LoadForecaster {
 public:
  LoadForecaster(const Recorded& recorded, const Content& content, const ForecastDrive& drive,
                 const PlacesFor& places_for)
      : recorded_(recorded),
        profile_(recorded.profile),
        content_(content),
        drive_(drive),
        places_for_(places_for) {}

  Result<RepackForecast> run() {
    std::vector<size_t> all(recorded_.runs.size());
    std::iota(all.begin(), all.end(), size_t{0});
    SKL_TRY_DO(replay(all, {}, before_));
    deal_runs();
    for (size_t fold = 0; fold <= kMostFolds; ++fold) {
      SKL_TRY_DO(replay_fold(fold));
      SKL_TRY_DO(replay_alone(fold));
    }
    return finish();
  }

 private:
  Result<void> replay(const std::vector<size_t>& runs, const MovedContent& moved, Loads& into) {
    SKL_TRY(auto lying, lying_with(moved));
    BaselineReplay replay(content_, {{drive_.profile, std::move(lying)}}, drive_.simulation, moved);
    for (const size_t run : runs) replay.replay(recorded_.runs.run(run));
    if (moved.empty()) shipped_ = shipped_loads(replay);
    for (const auto& [scenario, loads] : replay.runs())
      for (const ReplayedRun& run : loads) into[scenario].emplace(run.id, run.loads.front());
    return {};
  }

  Result<LyingFiles> lying_with(const MovedContent& moved) const {
    const std::vector<FileToPlace> files = files_of(content_, moved);
    if (!drive_.lying) {
      SKL_TRY(const auto positions, place_files(files, drive_.places, drive_.profile));
      return lying_at(files, positions);
    }
    LyingFiles lying = *drive_.lying;
    lying.files.resize(files.size());
    NewPlaces places(drive_.room, *drive_.lying);
    for (size_t i = 0; i < moved.size(); ++i) {
      if (!is_written_anew(moved[i]) && i < content_.sources.size()) continue;
      if (lying.files[i].path.empty()) begin_new_file(files[i].path, lying, lying.files[i]);
      lying.files[i].size_bytes = files[i].size_bytes;
      lying.files[i].extents = places.take(files[i].size_bytes);
    }
    return lying;
  }

  // Deals runs to folds by their number within their scenario. The last fold leaves out no run; it
  // is for scenarios with a single run.
  void deal_runs() {
    for (const ProfiledScenario& scenario : profile_.scenarios)
      for (size_t run = 0; run < scenario.runs.size(); ++run)
        fold_of_[scenario.runs[run].id] = scenario.runs.size() > 1 ? run % kMostFolds : kMostFolds;
  }

  size_t fold_of(const RunId& run) const {
    const auto found = fold_of_.find(run);
    return found == fold_of_.end() ? kMostFolds : found->second;
  }

  // Every scenario keeps at least one run, because the runs of a scenario are spread over several
  // folds.
  Profile without(size_t fold) const {
    Profile part = profile_;
    if (fold == kMostFolds) return part;
    for (ProfiledScenario& scenario : part.scenarios)
      std::erase_if(scenario.runs, [&](const ProfiledRun& run) { return fold_of(run.id) == fold; });
    return part;
  }

  std::vector<size_t> runs_of(size_t fold) const {
    std::vector<size_t> runs;
    for (size_t run = 0; run < recorded_.runs.size(); ++run)
      if (fold_of(recorded_.runs.id(run)) == fold) runs.push_back(run);
    return runs;
  }

  Result<void> replay_fold(size_t fold) {
    const std::vector<size_t> runs = runs_of(fold);
    if (runs.empty()) return {};
    return replay(runs, places_for_(without(fold)), after_);
  }

  // Replays each scenario as if it had its own archives.
  Result<void> replay_alone(size_t fold) {
    const std::vector<ProfiledScenario>& scenarios = profile_.scenarios;
    if (!drive_.replays_alone || scenarios.size() < 2 || scenarios.size() > kMostAlone) return {};
    Profile alone = without(fold);
    std::vector<std::vector<ProfiledRun>> known;
    for (ProfiledScenario& scenario : alone.scenarios)
      known.push_back(std::exchange(scenario.runs, {}));
    const std::vector<size_t> of_fold = runs_of(fold);
    for (size_t number = 0; number < scenarios.size(); ++number) {
      std::vector<size_t> runs;
      for (const size_t run : of_fold)
        if (recorded_.runs.scenario(run) == scenarios[number].name) runs.push_back(run);
      if (runs.empty()) continue;
      alone.scenarios[number].runs = std::move(known[number]);
      SKL_TRY_DO(replay(runs, places_for_(alone), alone_));
      alone.scenarios[number].runs.clear();
    }
    return {};
  }

  static const SimulatedLoad& median_of(const std::map<RunId, SimulatedLoad>& loads) {
    std::vector<const SimulatedLoad*> pointers;
    for (const auto& [run, load] : loads) pointers.push_back(&load);
    return median(pointers);
  }

  static LoadFigures figures_of(const SimulatedLoad& load) {
    return {load.cost, load.needed_bytes, load.bound_seconds};
  }

  std::vector<ForecastRun> each_of(const ProfiledScenario& scenario) const {
    std::vector<ForecastRun> each;
    for (const ProfiledRun& run : scenario.runs) {
      const auto before = before_.at(scenario.name).find(run.id);
      const auto after = after_.at(scenario.name).find(run.id);
      if (before != before_.at(scenario.name).end() && after != after_.at(scenario.name).end())
        each.push_back({run.trace, before->second.cost.seconds, after->second.cost.seconds});
    }
    return each;
  }

  RepackForecast finish() {
    RepackForecast forecast = {.drive = drive_.profile.name,
                               .read_ahead = to_string(drive_.simulation.read_ahead),
                               .scenarios = {},
                               .gone = gone(),
                               .fit = recorded_.runs.fit(),
                               .loads = {}};
    for (const ProfiledScenario& scenario : profile_.scenarios) {
      if (!before_.contains(scenario.name) || !after_.contains(scenario.name)) continue;
      const SimulatedLoad& after = median_of(after_.at(scenario.name));
      ForecastScenario& of = forecast.scenarios.emplace_back(
          ForecastScenario{.name = scenario.name,
                           .runs = static_cast<uint32_t>(scenario.runs.size()),
                           .is_held_out = scenario.runs.size() > 1,
                           .before = figures_of(median_of(before_.at(scenario.name))),
                           .after = figures_of(after),
                           .each = each_of(scenario),
                           .swept_after_s = after.swept_seconds});
      if (const auto alone = alone_.find(scenario.name); alone != alone_.end())
        of.alone = figures_of(median_of(alone->second));
    }
    add_loads(forecast);
    return forecast;
  }

  void add_loads(RepackForecast& forecast) {
    SecondsAfter after;
    for (const ForecastScenario& of : forecast.scenarios) after[of.name] = of.after.cost.seconds;
    set_after(shipped_.loads, after);
    forecast.loads = std::move(shipped_.loads);
    forecast.lacking = shipped_.lacking;
  }

  std::vector<std::string> gone() const {
    std::set<std::string> paths(profile_.assets.begin(), profile_.assets.end());
    for (const Asset& asset : content_.assets) paths.erase(std::string(asset.path));
    return {paths.begin(), paths.end()};
  }

  const Recorded& recorded_;
  const Profile& profile_;
  const Content& content_;
  const ForecastDrive& drive_;
  const PlacesFor& places_for_;
  ShippedLoads shipped_;
  std::map<RunId, size_t> fold_of_;
  Loads before_, after_, alone_;
};

size_t count_runs(const Profile& profile) {
  size_t runs = 0;
  for (const ProfiledScenario& scenario : profile.scenarios) runs += scenario.runs.size();
  return runs;
}

PlacesFor rewritten_places(const Profile& all, const Content& content, const RepackPlan& plan) {
  return [&all, &content, &plan](const Profile& profile) {
    const bool is_known = plan.order_of_all != nullptr && count_runs(profile) == count_runs(all);
    EntryOrder order = is_known ? *plan.order_of_all : order_entries(profile, content, plan.order);
    for (const RepackedArchive& archive : plan.archives)
      if (!archive.is_repacked) order.read_entries[archive.source].clear();
    return planned_places(content, order, plan.rewrite);
  };
}

}  // namespace

Result<RepackForecast> forecast_places(const Recorded& recorded, const Content& content,
                                       const ForecastDrive& drive, const PlacesFor& places_for,
                                       std::span<const FileToPlace> added) {
  SKL_TRY_DO(check_places(drive.places, files_of(content), added));
  return LoadForecaster(recorded, content, drive, places_for).run();
}

Result<RepackForecast> forecast_repack(const Recorded& recorded, const Content& content,
                                       const ForecastDrive& drive, const RepackPlan& plan) {
  return forecast_places(recorded, content, drive,
                         rewritten_places(recorded.profile, content, plan));
}

double RepackForecast::before_s() const {
  double seconds = 0;
  for (const ForecastScenario& of : scenarios) seconds += of.before.cost.seconds;
  return seconds;
}

double RepackForecast::after_s() const {
  double seconds = 0;
  for (const ForecastScenario& of : scenarios) seconds += of.after.cost.seconds;
  return seconds;
}

std::optional<OneOrder> RepackForecast::one_order() const {
  OneOrder sum;
  for (const ForecastScenario& of : scenarios) {
    if (!of.alone) continue;
    ++sum.loads;
    sum.together_s += of.after.cost.seconds;
    sum.apart_s += of.alone->cost.seconds;
    sum.swept_s += of.swept_after_s;
  }
  return sum.loads > 1 ? std::optional(sum) : std::nullopt;
}

}  // namespace seekless
