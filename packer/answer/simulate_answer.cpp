#include "packer/answer/simulate_answer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "packer/answer/internal/notes.h"
#include "packer/drive/drive_figures.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSimulationVersion = 1;
constexpr size_t kNumberColumns = 6;
constexpr size_t kKindColumns = 6;  // "today", "packs", "packs*"
constexpr std::array<std::string_view, 7> kLoadHeadings = {"needMB", "MB",    "reads", "seeks",
                                                           "s",      "bound", "over"};

using Cells = std::array<std::string, kLoadHeadings.size()>;

Cells cells_of(const LoadFigures& load) {
  const double seconds = duration_or_zero(load.cost.seconds);
  const double bound = duration_or_zero(load.bound_seconds);
  const auto over = ratio(seconds, bound);
  return {number_cell(megabytes(load.needed_bytes), 1),
          number_cell(megabytes(load.cost.bytes), 1),
          count_cell(load.cost.reads),
          count_cell(load.cost.seeks),
          number_cell(seconds, 2),
          number_cell(bound, 2),
          over ? number_cell(*over, 2) : "-"};
}

template <typename CellsOf>
std::string line_of(std::string_view name, std::string_view kind, const CellsOf& cells,
                    size_t name_columns) {
  std::string line = pad_right(name, name_columns) + " " + pad_right(kind, kKindColumns);
  for (const auto& cell : cells) line += " " + pad_left(cell, kNumberColumns);
  return line + "\n";
}

// Returns how the scenario is read; an asterisk marks a scenario that is read in another way than
// the others.
std::string_view kind_of(const Simulation& simulation, const SimulatedScenario& scenario) {
  const bool is_planned = scenario.is_swept || simulation.policy == "demand";
  return is_planned && scenario.missing_assets == 0 ? "packs" : "packs*";
}

std::string table_of(const Simulation& simulation, const SimulatedDrive& drive, size_t columns) {
  constexpr size_t kNumbers = 1 + kKindColumns + kLoadHeadings.size() * (1 + kNumberColumns);
  size_t name_columns = std::string_view("scenario").size();
  for (const SimulatedScenario& scenario : drive.scenarios)
    name_columns = std::max(name_columns, columns_of(clean_line(scenario.name)));
  name_columns = std::min(name_columns, columns - kNumbers);
  std::string table = line_of("scenario", "", kLoadHeadings, name_columns);
  std::vector<std::string> names;
  for (const SimulatedScenario& scenario : drive.scenarios)
    names.push_back(scenario.name.empty() ? "-" : clean_line(scenario.name));
  names = cut_names(names, name_columns);
  for (size_t i = 0; i < names.size(); ++i) {
    const SimulatedScenario& scenario = drive.scenarios[i];
    const std::string& name = names[i];
    if (scenario.today) table += line_of(name, "today", cells_of(*scenario.today), name_columns);
    if (scenario.packs)
      table += line_of(scenario.today ? " " : name, kind_of(simulation, scenario),
                       cells_of(*scenario.packs), name_columns);
  }
  return table;
}

bool has_marked(const Simulation& simulation) {
  for (const SimulatedDrive& drive : simulation.drives)
    for (const SimulatedScenario& scenario : drive.scenarios)
      if (scenario.packs && kind_of(simulation, scenario) != "packs") return true;
  return false;
}

Json load_json(const LoadFigures& load) {
  const double seconds = duration_or_zero(load.cost.seconds);
  const double bound = duration_or_zero(load.bound_seconds);
  const auto over = ratio(seconds, bound);
  return {{"seconds", seconds},
          {"reads", load.cost.reads},
          {"seeks", load.cost.seeks},
          {"bytes", load.cost.bytes},
          {"needed_bytes", load.needed_bytes},
          {"bound_seconds", bound},
          {"over_bound", over ? Json(*over) : Json(nullptr)}};
}

Json scenario_json(const SimulatedScenario& scenario) {
  Json json = {{"name", valid_utf8(scenario.name)}, {"runs", scenario.runs}};
  if (scenario.today) json["today"] = load_json(*scenario.today);
  if (scenario.packs) {
    json["packs"] = load_json(*scenario.packs);
    json["packs"]["swept"] = scenario.is_swept;
    json["packs"]["missing_assets"] = scenario.missing_assets;
  }
  return json;
}

Json verdict_of(const SimulatedDrive& drive) {
  return drive.verdict ? to_json(*drive.verdict) : Json();
}

AnswerNotes notes_of(const Simulation& simulation) {
  AnswerNotes notes = {
      .brief = {"s: seconds that the drive is busy; over: s / bound",
                fmt::format("read-ahead {}, queue depth {}", simulation.read_ahead,
                            simulation.queue_depth)},
      .more = {"bound: what is needed, each byte once, at the rate where it lies, and the way to "
               "it: no order is faster",
               "today: the recorded reads, on the content as it lies; needed is what they read, "
               "each byte once"}};
  if (simulation.policy == "sweep")
    notes.more.emplace_back("packs: the runtime's sweep; needed are the scenario's assets");
  else if (!simulation.policy.empty())
    notes.more.emplace_back(
        "packs: each asset asked for in recorded order; needed are these assets");
  if (has_marked(simulation))
    notes.brief.emplace_back(
        "packs*: not as planned, charged as read one by one; warnings say why");
  return notes;
}

LoadFigures figures_of(const SimulatedLoad& load) {
  return {load.cost, load.needed_bytes, load.bound_seconds};
}

}  // namespace

SimulatedDrive to_table(const DriveProfile& drive, const std::vector<ScenarioLoads>& loads) {
  SimulatedDrive table = {.name = drive.name, .capacity_bytes = 0, .scenarios = {}};
  if (is_disk(drive)) table.capacity_bytes = figures_of(drive).capacity_bytes;
  for (const ScenarioLoads& of : loads) {
    SimulatedScenario& row = table.scenarios.emplace_back();
    row.name = of.name;
    row.runs = of.runs;
    if (of.today) row.today = figures_of(*of.today);
    if (!of.packs) continue;
    row.packs = figures_of(of.packs->load);
    row.is_swept = of.packs->is_swept;
    row.missing_assets = of.packs->missing;
  }
  return table;
}

std::string to_text(const Simulation& simulation, size_t columns, bool is_verbose) {
  columns = table_columns(columns);
  std::string text;
  for (const SimulatedDrive& drive : simulation.drives)
    text += paragraph(drive.verdict ? drive.verdict->text : "", columns) +
            fmt::format("\n{}\n{}\n", clean_line(drive.name), table_of(simulation, drive, columns));
  text += to_text(notes_of(simulation), is_verbose, columns);
  text.pop_back();
  return text;
}

Json to_json(const Simulation& simulation) {
  Json drives = Json::array();
  for (const SimulatedDrive& drive : simulation.drives) {
    Json scenarios = Json::array();
    for (const SimulatedScenario& scenario : drive.scenarios)
      scenarios.push_back(scenario_json(scenario));
    drives.push_back({{"name", valid_utf8(drive.name)},
                      {"capacity_bytes", drive.capacity_bytes},
                      {"verdict", verdict_of(drive)},
                      {"scenarios", std::move(scenarios)}});
  }
  Json places = Json::array();
  for (const PlaceRule& place : simulation.places)
    places.push_back({{"name", valid_utf8(place.name)}, {"position_bytes", place.position_bytes}});
  Json warnings = Json::array();
  for (const std::string& warning : simulation.warnings) warnings.push_back(valid_utf8(warning));
  return {{"seekless", "simulate"},
          {"version", kSimulationVersion},
          {"verdict", simulation.drives.empty() ? Json() : verdict_of(simulation.drives.front())},
          {"policy", simulation.policy.empty() ? Json(nullptr) : Json(simulation.policy)},
          {"read_ahead", simulation.read_ahead},
          {"queue_depth", simulation.queue_depth},
          {"places", std::move(places)},
          {"drives", std::move(drives)},
          {"warnings", std::move(warnings)}};
}

std::vector<std::string> report_assumptions(const SimulationOptions& options, bool is_in_order) {
  return {
      fmt::format(
          "Before: the recorded reads, on the content's own files, each in one piece, {}. Nothing "
          "is in memory at the start; the system's read-ahead is {}, the queue {} deep.",
          is_in_order ? "one right after the other from the start of the drive on, in the order of "
                        "--content and of their names: nearer to each other than files in use lie"
                      : "those with --place at their places, the others one after the other",
          to_string(options.read_ahead), options.queue_depth),
      "After: the runtime's own sweep, from opening the catalog on, on packs that lie likewise.",
      "Seconds are the time the drive is busy. What the game computes between reads is in neither "
      "figure."};
}

}  // namespace seekless
