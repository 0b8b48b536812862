#include "packer/command/repack_forecast.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "packer/host/counted.h"
#include "packer/report/figures.h"
#include "packer/report/plain_text.h"
#include "packer/simulate/replay.h"

namespace seekless {
namespace {

// As many orders are made, each without some of the traces.
constexpr size_t kMostFolds = 5;

using Loads = std::map<std::string, std::map<RunId, SimulatedLoad>>;  // by scenario

class Forecaster {
 public:
  Forecaster(const Recorded& recorded, const Content& content, const ChosenDrive& chosen,
             const DriveOptions& drive, const MakePlaces& make_places)
      : recorded_(recorded),
        profile_(recorded.profile),
        content_(content),
        chosen_(chosen),
        drive_options_(drive),
        make_places_(make_places) {}

  Result<RepackForecast> run() {
    if (auto opened = open_drive(); !opened) return std::unexpected(opened.error());
    std::vector<size_t> all(recorded_.runs.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (auto replayed = replay(all, {}, before_); !replayed)
      return std::unexpected(replayed.error());
    deal_runs();
    for (size_t fold = 0; fold <= kMostFolds; ++fold)
      if (auto replayed = replay_fold(fold); !replayed) return std::unexpected(replayed.error());
    return finish();
  }

 private:
  Result<void> open_drive() {
    auto rules = drive_options_.place_rules();
    if (!rules) return std::unexpected(rules.error());
    rules_ = std::move(*rules);
    const auto simulation = drive_options_.simulation();
    if (!simulation) return std::unexpected(simulation.error());
    simulation_ = *simulation;
    return check_places(rules_, files_of(content_), {});
  }

  Result<void> replay(const std::vector<size_t>& runs, const MovedContent& moved, Loads& into) {
    auto positions = place_files(files_of(content_, moved), rules_, chosen_.profile);
    if (!positions) return std::unexpected(positions.error());
    BaselineReplay replay(content_, {{chosen_.profile, std::move(*positions)}}, simulation_, moved);
    for (const size_t run : runs) replay.replay(recorded_.runs.run(run));
    if (moved.empty()) shipped_ = shipped_loads(replay);
    for (const auto& [scenario, loads] : replay.runs())
      for (const ReplayedRun& run : loads) into[scenario].emplace(run.id, run.loads.front());
    return {};
  }

  // A run is left out together with others that are the same number among their scenario's runs.
  // The last fold leaves out none: it is for runs of which no other tells anything.
  void deal_runs() {
    for (const ProfiledScenario& scenario : profile_.scenarios)
      for (size_t run = 0; run < scenario.runs.size(); ++run)
        fold_of_[scenario.runs[run].id] = scenario.runs.size() > 1 ? run % kMostFolds : kMostFolds;
  }

  size_t fold_of(const RunId& run) const {
    const auto found = fold_of_.find(run);
    return found == fold_of_.end() ? kMostFolds : found->second;
  }

  // Every scenario keeps a run: those with several have them in several folds.
  Profile without(size_t fold) const {
    Profile part = profile_;
    if (fold == kMostFolds) return part;
    for (ProfiledScenario& scenario : part.scenarios)
      std::erase_if(scenario.runs, [&](const ProfiledRun& run) { return fold_of(run.id) == fold; });
    return part;
  }

  Result<void> replay_fold(size_t fold) {
    std::vector<size_t> runs;
    for (size_t run = 0; run < recorded_.runs.size(); ++run)
      if (fold_of(recorded_.runs.id(run)) == fold) runs.push_back(run);
    if (runs.empty()) return {};
    auto moved = make_places_(without(fold));
    if (!moved) return std::unexpected(moved.error());
    return replay(runs, *moved, after_);
  }

  static LoadFigures median_of(const std::map<RunId, SimulatedLoad>& loads) {
    std::vector<const SimulatedLoad*> pointers;
    for (const auto& [run, load] : loads) pointers.push_back(&load);
    const SimulatedLoad& load = median(pointers);
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
    RepackForecast forecast = {.drive = chosen_.profile.name,
                               .read_ahead = to_string(simulation_.read_ahead),
                               .scenarios = {},
                               .gone = gone(),
                               .notes = {}};
    for (const ProfiledScenario& scenario : profile_.scenarios) {
      if (!before_.contains(scenario.name) || !after_.contains(scenario.name)) continue;
      forecast.scenarios.push_back({.name = scenario.name,
                                    .runs = static_cast<uint32_t>(scenario.runs.size()),
                                    .is_held_out = scenario.runs.size() > 1,
                                    .before = median_of(before_.at(scenario.name)),
                                    .after = median_of(after_.at(scenario.name)),
                                    .each = each_of(scenario)});
      note(forecast, forecast.scenarios.back());
    }
    judge_loads(forecast);
    if (!forecast.gone.empty())
      forecast.notes.push_back(fmt::format(
          "{} that recordings read {} gone, such as '{}': record again what reads such.",
          counted(forecast.gone.size(), "entry", "entries"),
          forecast.gone.size() == 1 ? "is" : "are", forecast.gone.front()));
    return forecast;
  }

  void judge_loads(RepackForecast& forecast) {
    SecondsAfter after;
    for (const ForecastScenario& of : forecast.scenarios) after[of.name] = of.after.cost.seconds;
    set_after(shipped_.loads, after);
    forecast.verdict =
        judge(chosen_.judged, Way::zips, std::move(shipped_.loads), shipped_.lacking);
    for (const auto& [source, reads] : recorded_.runs.reads_past_end())
      forecast.past_end.emplace_back(content_.sources[source].path);
  }

  std::vector<std::string> gone() const {
    std::set<std::string> paths(profile_.assets.begin(), profile_.assets.end());
    for (const Asset& asset : content_.assets) paths.erase(std::string(asset.path));
    return {paths.begin(), paths.end()};
  }

  static void note(RepackForecast& forecast, const ForecastScenario& scenario) {
    const double before = scenario.before.cost.seconds;
    const double after = scenario.after.cost.seconds;
    if (after <= before * kLeastGain) return;
    const auto texts = seconds_texts(before, after);
    forecast.notes.push_back(fmt::format(
        "{}: {} before, {} after: slower, since one order serves all loads, and stored entries "
        "are longer. --weight '{}=10' would count it more.",
        scenario.name, texts[0], texts[1], scenario.name));
  }

  const Recorded& recorded_;
  const Profile& profile_;
  const Content& content_;
  const ChosenDrive& chosen_;
  const DriveOptions& drive_options_;
  const MakePlaces& make_places_;
  ShippedLoads shipped_;
  std::vector<PlaceRule> rules_;
  SimulationOptions simulation_;
  std::map<RunId, size_t> fold_of_;
  Loads before_, after_;
};

Json figures_json(const LoadFigures& load) {
  return {{"seconds", load.cost.seconds},
          {"reads", load.cost.reads},
          {"seeks", load.cost.seeks},
          {"bytes", load.cost.bytes},
          {"needed_bytes", load.needed_bytes}};
}

}  // namespace

Result<RepackForecast> forecast_repack(const Recorded& recorded, const Content& content,
                                       const ChosenDrive& chosen, const DriveOptions& drive,
                                       const MakePlaces& make_places) {
  return Forecaster(recorded, content, chosen, drive, make_places).run();
}

std::string to_text(const RepackForecast& forecast, size_t columns) {
  constexpr size_t kMostColumns = 120;
  constexpr size_t kCell = 7;
  constexpr size_t kNumbers = 7 * (1 + kCell) + 2;
  columns = std::clamp<size_t>(columns, 80, kMostColumns);
  const size_t width = columns - kNumbers;
  const auto line = [&](std::string_view name, std::string_view mark, const auto& cells) {
    std::string text = pad_right(name, width) + " " + std::string(mark);
    for (const auto& cell : cells) text += " " + pad_left(cell, kCell);
    return text + "\n";
  };
  using Cells = std::vector<std::string>;
  std::string text =
      fmt::format("Predicted for {}: seconds that it is busy\n\n", clean_line(forecast.drive));
  text +=
      line("scenario", " ", Cells{"before", "after", "faster", "seeks", "after", "MB", "after"});
  std::vector<std::string> names;
  for (const ForecastScenario& of : forecast.scenarios)
    names.push_back(of.name.empty() ? "-" : clean_line(of.name));
  names = cut_names(names, width);
  for (size_t i = 0; i < names.size(); ++i) {
    const ForecastScenario& of = forecast.scenarios[i];
    const auto faster = ratio(of.before.cost.seconds, of.after.cost.seconds);
    const auto mb = [](const LoadFigures& load) {
      return number_cell(static_cast<double>(load.cost.bytes) / 1e6, 1);
    };
    text +=
        line(names[i], of.is_held_out ? " " : "*",
             Cells{number_cell(of.before.cost.seconds, 2), number_cell(of.after.cost.seconds, 2),
                   faster ? fmt::format("{:.1f}x", *faster) : "-", count_cell(of.before.cost.seeks),
                   count_cell(of.after.cost.seeks), mb(of.before), mb(of.after)});
  }
  text += "\n";
  std::string notes =
      "The recorded reads, cold, with read-ahead " + forecast.read_ahead +
      ", on the archives as they are and as they would be, each read mapped to where its entry "
      "would lie. Tried on runs that the order wasn't made from; where there is only one run (*), "
      "on that one.";
  for (const std::string& part : wrap(notes, columns)) text += part + "\n";
  for (const std::string& note : forecast.notes)
    for (const std::string& part : wrap(clean_line(note), columns)) text += part + "\n";
  text.pop_back();
  return text;
}

Json to_json(const RepackForecast& forecast) {
  Json scenarios = Json::array();
  for (const ForecastScenario& of : forecast.scenarios) {
    Json each = Json::array();
    for (const ForecastRun& run : of.each)
      each.push_back(
          {{"trace", valid_utf8(run.trace)}, {"before_s", run.before_s}, {"after_s", run.after_s}});
    scenarios.push_back({{"name", valid_utf8(of.name)},
                         {"runs", of.runs},
                         {"held_out", of.is_held_out},
                         {"before", figures_json(of.before)},
                         {"after", figures_json(of.after)},
                         {"each", std::move(each)}});
  }
  Json gone = Json::array();
  for (const std::string& path : forecast.gone) gone.push_back(valid_utf8(path));
  Json notes = Json::array();
  for (const std::string& note : forecast.notes) notes.push_back(valid_utf8(note));
  return {{"drive", valid_utf8(forecast.drive)},
          {"read_ahead", forecast.read_ahead},
          {"scenarios", std::move(scenarios)},
          {"gone", std::move(gone)},
          {"notes", std::move(notes)}};
}

}  // namespace seekless
