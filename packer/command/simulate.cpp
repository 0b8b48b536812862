// seekless simulate: predicts how long loads take on drives, now and from packs, which may be
// written or only planned.
#include <memory>

#include "packer/answer/simulate_answer.h"
#include "packer/command/internal/next_step.h"
#include "packer/command/internal/simulate_inputs.h"
#include "packer/host/files.h"
#include "packer/host/terminal.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

// Judges the loads on drive number `i`, as shipped and as they became.
Verdict judge_drive(const Simulator& simulator, size_t i, const SimulatedDrive& table,
                    bool is_asked_for) {
  const SimulatorSetup& setup = simulator.setup();
  std::vector<JudgedLoad> loads;
  Lacking lacking = Lacking::content;
  RecordedFit fit;
  if (const BaselineReplay* replay = simulator.replay()) {
    loads = as_shipped(*replay, i);
    fit = replay->fit();
    lacking = replay->knows_sizes() ? Lacking::nothing : Lacking::sizes;
  }
  SecondsAfter after;
  for (const SimulatedScenario& scenario : table.scenarios)
    if (scenario.packs) after[scenario.name] = scenario.packs->cost.seconds;
  set_after(loads, after);
  return judge(judge_for(setup.drives[i], is_asked_for).judged,
               setup.packs ? Way::packs : Way::order, std::move(loads), lacking, fit);
}

Simulation begun(const SimulateArguments& arguments, const SimulatorSetup& setup) {
  return {.policy = setup.packs ? arguments.policy : "",
          .read_ahead = to_string(setup.options.read_ahead),
          .queue_depth = setup.options.queue_depth,
          .places = setup.rules,
          .drives = {},
          .warnings = {}};
}

// Returns the command that carries out what the simulation recommends. `traces` are only
// recordings; the arguments' own traces may begin with packs or a layout.
CommandWords next_of(const Simulation& simulation, const SimulateArguments& arguments,
                     const TraceOptions& traces) {
  if (simulation.drives.empty()) return {};
  const ContentOptions& content = arguments.content;
  const std::string& first = arguments.traces.paths.front();
  const bool has_packs = traces.paths.size() < arguments.traces.paths.size();
  const auto& verdict = simulation.drives.front().verdict;
  if (content.roots.empty() || (verdict && verdict->judgement == Judgement::not_worth_it))
    return with_recordings({"analyze"}, traces, content);
  if (has_packs && kind_of_path(first) != PathKind::folder)
    return {"pack", first, "-o", beside(first, "packs")};
  if (has_packs) return with_recordings({"report", first}, traces, content);
  CommandWords words = with_recordings({"plan"}, traces, content);
  words.insert(words.end(), {"-o", "layout.json"});
  return words;
}

Result<void> run(const SimulateArguments& arguments) {
  const Output& answer = arguments.answer;
  TraceOptions traces = arguments.traces;
  SKL_TRY(auto simulator, make_simulator(arguments, traces));
  Simulation simulation = begun(arguments, simulator.setup());
  SKL_TRY_DO(read_recordings(traces, simulator, answer, simulation.warnings));
  const size_t told = simulation.warnings.size();
  const auto loads = simulator.loads(simulation.warnings);
  for (size_t i = told; i < simulation.warnings.size(); ++i) answer.warn(simulation.warnings[i]);
  if (!loads) return std::unexpected(loads.error());
  for (size_t i = 0; i < loads->size(); ++i) {
    SimulatedDrive table = to_table(simulator.setup().drives[i], (*loads)[i]);
    table.verdict = judge_drive(simulator, i, table, !arguments.drives.named().empty());
    simulation.drives.push_back(std::move(table));
  }
  answer.line(to_text(simulation, terminal_width(), answer.is_verbose()));
  answer.next(next_of(simulation, arguments, traces));
  return answer.result(to_json(simulation));
}

}  // namespace

void add_simulate(const Command& tool) {
  auto arguments = std::make_shared<SimulateArguments>();
  const Command command =
      tool.add("simulate", "Predict how long recorded loads take on a drive, now and from packs");
  arguments->traces.add_to(
      command, "TRACE", true,
      "A layout or a pack set to simulate, if any; then traces in any known dialect");
  arguments->content.add_to(command, false);
  arguments->drives.add_to(command, true);
  command.option({.name = "--policy",
                  .help = "How packs are read. sweep: each scenario in one sweep; demand: asset by "
                          "asset, as the game requests them",
                  .values = {"sweep", "demand"}},
                 arguments->policy);
  command.option(
      {.name = "--pauses",
       .help = "How long the drive idles between reads, so that it can read ahead. none: not at "
               "all; recorded: as long as in the trace, minus the recorder's own time",
       .values = {"none", "recorded"}},
      arguments->pauses);
  arguments->answer.add_verbose(command);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless simulate layout.json traces/*.lz4 \\\n"
      "    --content /usr/share/games/warzone2100 --place mp.wz=300G \\\n"
      "    --drive wd-black-1tb --drive sata-ssd");
  command.runs([arguments, command] {
    arguments->policy_given = command.has("--policy");
    return run(*arguments);
  });
}

}  // namespace seekless
