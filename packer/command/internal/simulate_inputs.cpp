#include "packer/command/internal/simulate_inputs.h"

#include <memory>

#include <fmt/format.h>

#include "packer/command/internal/replaying.h"
#include "packer/host/files.h"
#include "packer/pack/virtual_packs.h"

namespace seekless {
namespace {

bool is_packs(const std::string& path) {
  return path.ends_with(".json") || path.ends_with(".skl") ||
         kind_of_path(path) == PathKind::folder;
}

Result<void> check_combination(const SimulateArguments& arguments, bool has_packs,
                               bool has_traces) {
  const bool has_content = !arguments.content.roots.empty();
  if (!has_traces)
    return wrong_usage(
        {.place = "TRACE", .expected = "traces after the layout or the pack set", .found = "none"});
  if (!has_packs && !has_content)
    return wrong_usage({.place = "arguments",
                        .expected = "a layout, a pack set or --content",
                        .found = "none of them"});
  if (!has_packs && arguments.policy_given)
    return wrong_usage({.place = "--policy",
                        .expected = "a layout or a pack set in front of the traces",
                        .found = "none",
                        .advice = "without packs, the recorded reads are what is simulated"});
  if (has_packs && arguments.policy == "demand" && !has_content)
    return wrong_usage({.place = "--policy demand",
                        .expected = "--content, to tell which assets the traces read",
                        .found = "none"});
  return {};
}

}  // namespace

Result<Simulator> make_simulator(const SimulateArguments& arguments, TraceOptions& traces) {
  SimulatorSetup setup;
  SKL_TRY(auto drives, arguments.drives.profiles());
  setup.drives = std::move(drives);
  SKL_TRY(auto rules, arguments.drives.place_rules());
  setup.rules = std::move(rules);
  SKL_TRY(const auto options, arguments.drives.simulation());
  setup.options = options;
  setup.options.has_pauses = arguments.pauses == "recorded";
  if (setup.options.has_pauses && setup.options.queue_depth > 1)
    return wrong_usage({.place = "--pauses recorded",
                        .expected = "--queue-depth 1",
                        .found = fmt::format("{}", setup.options.queue_depth),
                        .advice = "with more, threads read as soon as they can"});
  setup.policy = arguments.policy == "sweep" ? PackPolicy::sweep : PackPolicy::demand;
  if (is_packs(traces.paths.front())) {
    setup.folder = traces.paths.front();
    traces.paths.erase(traces.paths.begin());
    SKL_TRY(auto packs, io_of_packs(setup.folder));
    setup.packs = std::move(packs);
  }
  SKL_TRY_DO(check_combination(arguments, setup.packs != nullptr, !traces.paths.empty()));
  if (!arguments.content.roots.empty()) {
    SKL_TRY(auto content, read_content(arguments.content, arguments.answer));
    setup.content = std::make_unique<Content>(std::move(content));
  }
  return Simulator::create(std::move(setup));
}

Result<void> read_recordings(const TraceOptions& traces, Simulator& simulator, const Output& output,
                             std::vector<std::string>& warnings) {
  if (simulator.replay() == nullptr) {
    SKL_TRY(auto reader, reader_of(traces, nullptr));
    return read_traces(reader, simulator.scenarios(), output, &warnings);
  }
  return replay_traces(traces, *simulator.setup().content, *simulator.replay(), output, &warnings);
}

}  // namespace seekless
