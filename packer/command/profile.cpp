// seekless profile: says which assets each scenario of the traces needs, and in which order.
// Result: {command, profile, assets, scenarios: [{name, runs, assets}], traces: [{trace,
// read_bytes, mapped_bytes, unmapped: [{path, bytes, reads}]}]}
#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/inputs.h"
#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

struct ProfileArguments {
  TraceOptions traces;
  ContentOptions content;
  std::string output;
  Output answer;
};

size_t count_assets(const ProfiledScenario& scenario) {
  std::set<uint32_t> assets;
  for (const ProfiledRun& run : scenario.runs) assets.insert(run.assets.begin(), run.assets.end());
  return assets.size();
}

Json to_json(const TraceMapping& of) {
  Json unmapped = Json::array();
  for (const Mapping::Unmapped& one : of.mapping.unmapped)
    unmapped.push_back({{"path", one.path}, {"bytes", one.bytes}, {"reads", one.reads}});
  return {{"trace", of.trace},
          {"read_bytes", of.mapping.read_bytes},
          {"mapped_bytes", of.mapping.mapped_bytes()},
          {"unmapped", unmapped}};
}

Result<void> run(const ProfileArguments& arguments) {
  const auto content = read_content(arguments.content, arguments.answer);
  if (!content) return std::unexpected(content.error());
  std::vector<TraceMapping> mappings;
  const auto profile =
      profile_traces(arguments.traces, arguments.content, *content, arguments.answer, &mappings);
  if (!profile) return std::unexpected(profile.error());
  if (auto written = write_profile(*profile, arguments.output); !written) return written;
  Json scenarios = Json::array();
  for (const ProfiledScenario& scenario : profile->scenarios) {
    const size_t assets = count_assets(scenario);
    arguments.answer.line(fmt::format("{}: {}, {}", in_one_line(scenario.name),
                                      counted(scenario.runs.size(), "run"),
                                      counted(assets, "asset")));
    scenarios.push_back(
        {{"name", scenario.name}, {"runs", scenario.runs.size()}, {"assets", assets}});
  }
  tell_unmapped(mappings, arguments.answer);
  Json traces = Json::array();
  for (const TraceMapping& of : mappings) traces.push_back(to_json(of));
  return arguments.answer.result({{"command", "profile"},
                                  {"profile", arguments.output},
                                  {"assets", profile->assets.size()},
                                  {"scenarios", scenarios},
                                  {"traces", traces}});
}

}  // namespace

void add_profile(const Command& tool) {
  auto arguments = std::make_shared<ProfileArguments>();
  const Command command =
      tool.add("profile", "Find what each recorded scenario needs of the content");
  arguments->traces.add_to(command, "TRACE");
  arguments->content.add_to(command);
  command.option({.name = "-o,--output",
                  .takes = "PROFILE.json",
                  .help = "The profile, as JSON",
                  .is_required = true},
                 arguments->output);
  arguments->answer.add_verbose(command);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless profile traces/*.lz4 --content /usr/share/games/warzone2100 \\\n"
      "    -o profile.json");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
