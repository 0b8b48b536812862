// seekless simulate: what loads cost on drives, today and from packs, written or only planned.
// Result: schemas/simulate.schema.json
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "packer/command/drive_options.h"
#include "packer/command/inputs.h"
#include "packer/command/judging.h"
#include "packer/command/packed_loads.h"
#include "packer/command/progress.h"
#include "packer/command/replaying.h"
#include "packer/command/trace_reader.h"
#include "packer/drive/drive.h"
#include "packer/host/terminal.h"
#include "packer/layout/layout.h"
#include "packer/pack/virtual_packs.h"
#include "packer/report/simulation.h"
#include "packer/simulate/pack_load.h"
#include "packer/simulate/replay.h"

namespace seekless {
namespace {

struct Arguments {
  TraceOptions traces;  // a layout or a pack set may come first
  ContentOptions content;
  DriveOptions drives;
  std::string policy = "sweep";
  bool policy_given = false;
  Output answer;
};

// A layout's packs or a written set.
struct Packs {
  std::string folder;
  std::unique_ptr<runtime::FileIo> io;
  std::vector<FileToPlace> files;
};

bool is_packs(const std::string& path) {
  std::error_code ignored;
  return path.ends_with(".json") || path.ends_with(".skl") ||
         std::filesystem::is_directory(path, ignored);
}

Result<Packs> open_packs(const std::string& path) {
  Packs packs = {.folder = path, .io = runtime::make_system_file_io(), .files = {}};
  if (path.ends_with(".json")) {
    const auto layout = read_layout(path);
    if (!layout) return std::unexpected(layout.error());
    auto virtual_packs = VirtualPacks::create(*layout);
    if (!virtual_packs) return std::unexpected(virtual_packs.error());
    packs.io = std::move(*virtual_packs);
  }
  auto files = files_of_set(*packs.io, path);
  if (!files) return std::unexpected(files.error());
  packs.files = std::move(*files);
  return packs;
}

// The scenarios of traces whose content isn't at hand.
class ScenarioNames final : public TraceSink {
 public:
  std::map<std::string, uint32_t> runs;  // that read anything

  void start_trace(std::string scenario) { cutter_.start_trace(0, std::move(scenario)); }
  void finish_run() {
    if (reads_) ++runs[cutter_.scenario()];
    reads_ = false;
  }
  Result<void> begin(const TraceHeader& header) override {
    cutter_.begin(header);
    return {};
  }
  Result<void> add_path(std::string_view) override { return {}; }
  Result<void> add_event(const Event& event) override {
    reads_ = reads_ || event.kind != EventKind::open;
    return {};
  }
  Result<void> add_mark(const Mark& mark) override {
    finish_run();
    cutter_.cut(mark);
    return {};
  }

 private:
  RunCutter cutter_;
  bool reads_ = false;
};

LoadFigures figures_of(const SimulatedLoad& load) {
  return {load.cost, load.needed_bytes, load.bound_seconds};
}

class Simulator {
 public:
  Simulator(const Arguments& arguments, std::vector<DriveProfile> drives,
            std::vector<PlaceRule> rules, const SimulationOptions& options)
      : arguments_(arguments),
        traces_(arguments.traces),
        drives_(std::move(drives)),
        rules_(std::move(rules)),
        options_(options) {}

  Result<Simulation> run() {
    if (auto opened = open(); !opened) return std::unexpected(opened.error());
    begin_result();
    auto simulated = content_ ? simulate_content() : name_scenarios();
    if (simulated && packs_) simulated = simulate_packs();
    if (!simulated) return std::unexpected(simulated.error());
    judge_drives();
    return std::move(result_);
  }

 private:
  Result<void> open() {
    if (is_packs(traces_.paths.front())) {
      auto packs = open_packs(traces_.paths.front());
      if (!packs) return std::unexpected(packs.error());
      packs_ = std::make_unique<Packs>(std::move(*packs));
      traces_.paths.erase(traces_.paths.begin());
    }
    if (traces_.paths.empty())
      return wrong_usage({.place = "TRACE",
                          .expected = "traces behind the layout or the pack set",
                          .found = "none"});
    if (auto checked = check_combination(); !checked) return checked;
    if (!arguments_.content.roots.empty()) {
      auto content = read_content(arguments_.content, arguments_.answer);
      if (!content) return std::unexpected(content.error());
      content_ = std::make_unique<Content>(std::move(*content));
      content_files_ = files_of(*content_);
    }
    return check_places(
        rules_, content_files_,
        packs_ ? std::span<const FileToPlace>(packs_->files) : std::span<const FileToPlace>());
  }

  Result<void> check_combination() const {
    const bool has_content = !arguments_.content.roots.empty();
    if (!packs_ && !has_content)
      return wrong_usage({.place = "arguments",
                          .expected = "a layout, a pack set or --content",
                          .found = "none of them"});
    if (!packs_ && arguments_.policy_given)
      return wrong_usage({.place = "--policy",
                          .expected = "a layout or a pack set in front of the traces",
                          .found = "none",
                          .advice = "without packs, the recorded reads are what is simulated"});
    if (packs_ && arguments_.policy == "demand" && !has_content)
      return wrong_usage({.place = "--policy demand",
                          .expected = "--content, to tell which assets the traces read",
                          .found = "none"});
    return {};
  }

  PackPolicy policy() const {
    return arguments_.policy == "sweep" ? PackPolicy::sweep : PackPolicy::demand;
  }

  void begin_result() {
    result_.policy = packs_ ? arguments_.policy : "";
    result_.read_ahead = to_string(options_.read_ahead);
    result_.queue_depth = options_.queue_depth;
    for (const PlaceRule& rule : rules_) result_.places.push_back({rule.name, rule.position_bytes});
    for (const DriveProfile& drive : drives_) {
      const bool is_disk = std::holds_alternative<HardDisk>(drive.hardware);
      result_.drives.push_back({.name = drive.name,
                                .capacity_bytes = is_disk ? Drive(drive).capacity_bytes() : 0,
                                .scenarios = {}});
    }
  }

  Result<void> simulate_content() {
    std::vector<ReplayDrive> drives;
    for (const DriveProfile& drive : drives_) {
      auto positions = place_files(content_files_, rules_, drive);
      if (!positions) return std::unexpected(positions.error());
      drives.push_back({drive, std::move(*positions)});
    }
    replay_ = std::make_unique<BaselineReplay>(*content_, std::move(drives), options_);
    if (auto replayed =
            replay_traces(traces_, *content_, *replay_, arguments_.answer, &result_.warnings);
        !replayed)
      return replayed;
    for (const auto& [name, runs] : replay_->runs())
      for (size_t i = 0; i < drives_.size(); ++i) {
        std::vector<const SimulatedLoad*> loads;
        for (const ReplayedRun& run : runs) loads.push_back(&run.loads[i]);
        result_.drives[i].scenarios.push_back({.name = name,
                                               .runs = static_cast<uint32_t>(runs.size()),
                                               .today = figures_of(median(loads)),
                                               .packs = {}});
      }
    return {};
  }

  Result<void> name_scenarios() {
    auto reader = TraceReader::create(traces_, nullptr);
    if (!reader) return std::unexpected(reader.error());
    ScenarioNames names;
    const auto progress = Progress::of_reading("reading recordings", traces_.paths);
    for (const std::string& trace : traces_.paths) {
      names.start_trace(scenario_of_file(trace));
      const auto report = reader->read(trace, names);
      if (!report) return std::unexpected(report.error());
      for (const std::string& warning : report->warnings) arguments_.answer.warn(warning);
      names.finish_run();
    }
    for (const std::string& warning : reader->warnings()) warn(warning);
    if (names.runs.empty())
      return damaged({.file = "the traces", .expected = "reads", .found = "none"});
    for (const auto& [name, runs] : names.runs)
      for (SimulatedDrive& drive : result_.drives)
        drive.scenarios.push_back({.name = name, .runs = runs, .today = {}, .packs = {}});
    return {};
  }

  Result<void> simulate_packs() {
    for (size_t i = 0; i < drives_.size(); ++i) {
      const auto positions = place_files(packs_->files, rules_, drives_[i]);
      if (!positions) return std::unexpected(positions.error());
      const PacksOnDrive packs = {*packs_->io, packs_->folder, packs_->files, *positions,
                                  drives_[i]};
      auto& scenarios = result_.drives[i].scenarios;
      std::vector<std::string> warnings;
      auto loads =
          replay_ ? packed_loads(packs, policy(), replay_->runs(), i, *content_, options_, warnings)
                  : sweep_planned(packs, scenarios);
      if (!loads) return std::unexpected(loads.error());
      for (const std::string& warning : warnings) warn(warning);
      for (SimulatedScenario& scenario : scenarios)
        if (const auto found = loads->find(scenario.name); found != loads->end()) {
          scenario.packs = figures_of(found->second.load);
          scenario.is_swept = found->second.is_swept;
          scenario.missing_assets = found->second.missing;
        }
      if (!replay_) std::erase_if(scenarios, [](const SimulatedScenario& of) { return !of.packs; });
    }
    return {};
  }

  // Without content nobody knows what a run reads; what wasn't planned can't be told.
  Result<PackedLoads> sweep_planned(const PacksOnDrive& packs,
                                    const std::vector<SimulatedScenario>& scenarios) {
    const auto planned = scenarios_of_set(packs.io, packs.folder);
    if (!planned) return std::unexpected(planned.error());
    PackedLoads loads;
    for (const SimulatedScenario& scenario : scenarios) {
      if (!planned->contains(scenario.name)) {
        warn(
            fmt::format("{}: '{}' wasn't planned, so without --content it can't be told what it "
                        "costs",
                        packs.folder, scenario.name));
        continue;
      }
      auto swept = simulate_sweep(packs, scenario.name, options_);
      if (!swept) return std::unexpected(swept.error());
      loads[scenario.name] = {
          .load = std::move(swept->load), .assets = swept->assets, .is_swept = true};
    }
    if (!loads.empty()) return loads;
    return failed({.file = packs.folder,
                   .expected = "a pack set with scenario '" + scenarios.front().name + "'",
                   .found = "none",
                   .advice = "plan and pack again with its trace, or give --content"});
  }

  // Once, not for each drive.
  void warn(const std::string& warning) {
    if (!warned_of_.insert(warning).second) return;
    result_.warnings.push_back(warning);
    arguments_.answer.warn(warning);
  }

  // Of each drive: what it is about, the loads as shipped, and what became of them.
  void judge_drives() {
    for (size_t i = 0; i < drives_.size(); ++i) {
      const JudgedDrive drive = judge_for(drives_[i], !arguments_.drives.drives.empty()).judged;
      std::vector<JudgedLoad> loads;
      Lacking lacking = Lacking::content;
      if (replay_) {
        loads = as_shipped(*replay_, i);
        lacking = replay_->knows_sizes() ? Lacking::nothing : Lacking::sizes;
      }
      SecondsAfter after;
      for (const SimulatedScenario& scenario : result_.drives[i].scenarios)
        if (scenario.packs) after[scenario.name] = scenario.packs->cost.seconds;
      set_after(loads, after);
      const Verdict verdict =
          judge(drive, packs_ ? Way::packs : Way::order, std::move(loads), lacking);
      result_.drives[i].verdict = to_text(verdict);
      result_.drives[i].verdict_json = to_json(verdict);
    }
  }

  const Arguments& arguments_;
  TraceOptions traces_;
  const std::vector<DriveProfile> drives_;
  const std::vector<PlaceRule> rules_;
  const SimulationOptions options_;
  std::unique_ptr<Packs> packs_;
  std::unique_ptr<Content> content_;
  std::vector<FileToPlace> content_files_;
  std::unique_ptr<BaselineReplay> replay_;
  std::set<std::string> warned_of_;
  Simulation result_;
};

Result<void> run(const Arguments& arguments) {
  auto drives = arguments.drives.profiles();
  if (!drives) return std::unexpected(drives.error());
  auto rules = arguments.drives.place_rules();
  if (!rules) return std::unexpected(rules.error());
  const auto options = arguments.drives.simulation();
  if (!options) return std::unexpected(options.error());
  const auto simulation =
      Simulator(arguments, std::move(*drives), std::move(*rules), *options).run();
  if (!simulation) return std::unexpected(simulation.error());
  arguments.answer.line(to_text(*simulation, terminal_width()));
  return arguments.answer.result(to_json(*simulation));
}

}  // namespace

void add_simulate(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "simulate", "Say what recorded loads cost on drives, today and from packs");
  arguments->traces.add_to(*command, "TRACE");
  command->get_option("TRACE")->description(
      "A layout or a pack set, if packs are to be simulated; then traces of any known dialect");
  arguments->content.add_to(*command);
  command->get_option("--content")->required(false);
  arguments->drives.add_to(*command, true);
  CLI::Option* policy =
      command
          ->add_option("--policy", arguments->policy,
                       "How packs are read: swept by scenario, or each asset when it is asked for")
          ->check(CLI::IsMember({"sweep", "demand"}))
          ->type_name("sweep|demand")
          ->capture_default_str();
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless simulate layout.json traces/*.lz4 \\\n"
      "    --content /usr/share/games/warzone2100 --place mp.wz=300G \\\n"
      "    --drive wd-black-1tb --drive sata-ssd");
  command->callback([arguments, policy, &chosen] {
    arguments->policy_given = policy->count() > 0;
    chosen = [arguments] { return run(*arguments); };
  });
}

}  // namespace seekless
