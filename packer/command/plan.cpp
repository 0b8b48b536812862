// seekless plan: makes the layout: which asset goes to which pack, at which place.
// Result: {command, layout, assets, bytes, sources, shadowed: [{path, source, hidden_by}],
// scenarios: [{name, runs}], packs: [{name, kind, assets, bytes}], gone: [path]}
#include <algorithm>
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "packer/command/inputs.h"
#include "packer/layout/planner.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

struct Arguments {
  TraceOptions traces;
  ContentOptions content;
  std::string profile;
  std::string output;
  uint64_t block_bytes = kDefaultLayoutBlockBytes;
  std::vector<std::string> alignments;
  Output answer;
};

Result<AlignmentRule> parse_alignment(const std::string& text) {
  const size_t equals = text.rfind('=');
  AlignmentRule rule;
  if (equals != std::string::npos) {
    rule.glob = text.substr(0, equals);
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, rule.alignment_bytes);
    if (error == std::errc() && stop == end && std::has_single_bit(rule.alignment_bytes) &&
        rule.alignment_bytes <= kMaxAlignmentBytes && !rule.glob.empty())
      return rule;
  }
  return wrong_usage({.place = "--align",
                      .expected = "GLOB=BYTES, with a power of two up to 4096",
                      .found = fmt::format("'{}'", text)});
}

Result<PlanOptions> plan_options(const Arguments& arguments) {
  if (arguments.profile.empty() == arguments.traces.paths.empty())
    return wrong_usage({.place = "plan",
                        .expected = "either traces (in front of --content) or --profile",
                        .found = arguments.profile.empty() ? "neither" : "both"});
  PlanOptions options;
  options.fold_case = arguments.content.scan.fold_case;
  if (!std::has_single_bit(arguments.block_bytes) ||
      arguments.block_bytes < format::kMinBlockBytes ||
      arguments.block_bytes > format::kMaxBlockBytes)
    return wrong_usage({.place = "--block",
                        .expected = "a power of two from 65536 to 16777216",
                        .found = fmt::to_string(arguments.block_bytes)});
  options.block_bytes = static_cast<uint32_t>(arguments.block_bytes);
  for (const std::string& text : arguments.alignments) {
    auto rule = parse_alignment(text);
    if (!rule) return std::unexpected(rule.error());
    options.alignments.push_back(std::move(*rule));
  }
  return options;
}

Result<Profile> get_profile(const Arguments& arguments, const Content& content) {
  if (arguments.profile.empty()) return profile_traces(arguments.traces, content, arguments.answer);
  return read_profile(arguments.profile);
}

uint64_t size_of(const LaidPack& pack) {
  uint64_t bytes = 0;
  for (const LaidAsset& asset : pack.assets) bytes += asset.size_bytes;
  return bytes;
}

Json to_json(const Arguments& arguments, const Content& content, const Plan& plan) {
  Json json = {{"command", "plan"},
               {"layout", arguments.output},
               {"assets", content.assets.size()},
               {"bytes", content.size_bytes()},
               {"sources", content.sources.size()}};
  json["shadowed"] = Json::array();
  for (const Shadowed& shadowed : content.shadowed)
    json["shadowed"].push_back(
        {{"path", shadowed.path},
         {"source", content.sources[shadowed.place.source].path},
         {"hidden_by", content.sources[content.assets[shadowed.winner].place.source].path}});
  json["scenarios"] = Json::array();
  for (const LaidScenario& scenario : plan.layout.scenarios)
    json["scenarios"].push_back({{"name", scenario.name}, {"runs", scenario.runs}});
  json["packs"] = Json::array();
  for (const LaidPack& pack : plan.layout.packs)
    json["packs"].push_back({{"name", pack.name},
                             {"kind", to_string(pack.kind)},
                             {"assets", pack.assets.size()},
                             {"bytes", size_of(pack)}});
  json["gone"] = plan.gone;
  return json;
}

Result<void> run(const Arguments& arguments) {
  const auto options = plan_options(arguments);
  if (!options) return std::unexpected(options.error());
  const auto content = read_content(arguments.content, arguments.answer);
  if (!content) return std::unexpected(content.error());
  const auto profile = get_profile(arguments, *content);
  if (!profile) return std::unexpected(profile.error());
  const Plan plan = plan_layout(*profile, *content, *options);
  if (plan.gone.size() == profile->assets.size())
    return damaged({.file = arguments.profile.empty() ? "the traces" : arguments.profile,
                    .expected = "assets of the content",
                    .found = "none of them there",
                    .advice = "give the content that was recorded"});
  for (size_t i = 0; i < std::min<size_t>(3, plan.gone.size()); ++i)
    arguments.answer.warn(fmt::format("'{}' was read when recording, but is gone", plan.gone[i]));
  if (auto written = write_layout(plan.layout, arguments.output); !written) return written;

  arguments.answer.line(fmt::format("{}: {} assets, {:.1f} MB, from {} files; {} scenarios",
                                    arguments.output, content->assets.size(),
                                    static_cast<double>(content->size_bytes()) / 1e6,
                                    content->sources.size(), plan.layout.scenarios.size()));
  for (const LaidPack& pack : plan.layout.packs)
    arguments.answer.line(fmt::format("  {:<24} {:<6} {:>7} assets {:>10.1f} MB", pack.name,
                                      to_string(pack.kind), pack.assets.size(),
                                      static_cast<double>(size_of(pack)) / 1e6));
  return arguments.answer.result(to_json(arguments, *content, plan));
}

}  // namespace

void add_plan(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("plan", "Decide which asset goes to which pack, and in which order");
  arguments->traces.add_to(*command, "TRACE");
  command->get_option("TRACE")->required(false);
  arguments->content.add_to(*command);
  command->add_option("--profile", arguments->profile, "A profile made earlier, instead of traces")
      ->type_name("PROFILE.json");
  command->add_option("-o,--output", arguments->output, "The layout, as JSON")
      ->required()
      ->type_name("LAYOUT.json");
  command
      ->add_option("--block", arguments->block_bytes,
                   "Bytes read at once: 64 KiB to 16 MiB, a power of two")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE")
      ->capture_default_str();
  command
      ->add_option("--align", arguments->alignments,
                   "Alignment of assets that match, instead of 64 bytes; repeatable")
      ->type_name("GLOB=BYTES")
      ->allow_extra_args(false);
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless plan traces/*.lz4 --content /usr/share/games/warzone2100 \\\n"
      "    -o layout.json");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
