// seekless plan: makes the layout: which asset goes to which pack, and in which order.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/plan_answer.h"
#include "packer/command/internal/inputs.h"
#include "packer/command/internal/next_step.h"
#include "packer/command/internal/plan_options.h"
#include "packer/command/internal/threads.h"
#include "packer/command/progress.h"
#include "packer/content/named_content.h"
#include "packer/host/terminal.h"
#include "packer/pack/duplicates.h"
#include "packer/pack/virtual_packs.h"
#include "packer/plan/planner.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

struct PlanArguments {
  TraceOptions traces;
  ContentOptions content;
  std::string profile;
  std::string output;
  PlannerArguments plan;
  Output answer;
};

Result<PlanOptions> plan_options(const PlanArguments& arguments) {
  if (arguments.profile.empty() == arguments.traces.paths.empty())
    return wrong_usage({.place = "plan",
                        .expected = "either traces (in front of --content) or --profile",
                        .found = arguments.profile.empty() ? "neither" : "both"});
  auto options = arguments.plan.options();
  if (options) options->fold_case = options->fold_case || arguments.content.scan.fold_case;
  return options;
}

Result<Profile> get_profile(const PlanArguments& arguments, const Content& content,
                            std::vector<TraceMapping>& mappings, ContentRuns* replay) {
  if (arguments.profile.empty())
    return profile_traces(arguments.traces, arguments.content, content, arguments.answer, &mappings,
                          replay);
  return read_profile_for(arguments.profile, arguments.content);
}

// Predicts, before the packs are written, how fast the runtime would sweep them.
Result<Verdict> judge_plan(const PlanArguments& arguments, const Content& content, const Plan& plan,
                           const BaselineReplay* replay, const DriveProfile& drive) {
  const JudgedDrive judged = judge_for(drive, arguments.plan.names_drive()).judged;
  if (arguments.traces.paths.empty()) return judge(judged, Way::packs, {}, Lacking::recordings);
  if (replay == nullptr) return judge(judged, Way::packs, {}, Lacking::room);
  SKL_TRY(const auto packs, VirtualPacks::of_layout(plan.layout));
  return judge_packs(*replay, content, {*packs, arguments.output}, drive, judged);
}

// Returns the command that packs this layout, or if that isn't worth it, the command that shows
// why.
CommandWords next_of(const Verdict& verdict, const PlanArguments& arguments) {
  if (verdict.judgement == Judgement::not_worth_it)
    return with_recordings({"simulate", arguments.output}, arguments.traces, arguments.content);
  return {"pack", arguments.output, "-o", beside(arguments.output, "packs")};
}

Result<void> run(const PlanArguments& arguments) {
  SKL_TRY(auto options, plan_options(arguments));
  ContentOptions content_options = arguments.content;
  content_options.scan.fold_case = options.fold_case;
  const auto content = read_content(content_options, arguments.answer);
  if (!content) return std::unexpected(content.error());
  const auto replay = replay_as_shipped(*content, options.drive);
  std::vector<TraceMapping> mappings;
  SKL_TRY(const auto profile, get_profile(arguments, *content, mappings, replay.get()));
  SKL_TRY(auto same_as, find_equal_assets(*content, default_reading_threads()));
  options.same_as = std::move(same_as);
  options.unrecorded = read_unrecorded_maps(profile, *content, options.drive, options.threads);
  const EqualContent equal = weigh_equal(profile, *content, options);
  Progress progress("planning");
  const Plan plan = plan_layout(profile, *content, options);
  progress.finish();
  if (plan.gone.size() == profile.assets.size())
    return damaged({.file = arguments.profile.empty() ? "the traces" : arguments.profile,
                    .expected = "assets of the content",
                    .found = "none of them there",
                    .advice = "give the content that was recorded"});
  for (size_t i = 0; i < std::min<size_t>(3, plan.gone.size()); ++i)
    arguments.answer.warn(fmt::format("'{}' was read when recording, but is gone", plan.gone[i]));
  for (const std::string& warning : plan.warnings) arguments.answer.warn(warning);
  SKL_TRY(const auto verdict, judge_plan(arguments, *content, plan, replay.get(), options.drive));
  SKL_TRY_DO(write_layout(plan.layout, arguments.output));
  remember_content(arguments.content.roots);
  const PlanAnswer answer = {.layout = arguments.output,
                             .content = *content,
                             .same_as = options.same_as,
                             .equal = equal,
                             .plan = plan,
                             .verdict = verdict};
  arguments.answer.line(to_text(answer, terminal_width(), arguments.answer.is_verbose()));
  tell_unmapped(mappings, arguments.answer);
  arguments.answer.next(next_of(verdict, arguments));
  if (!arguments.answer.wants_json()) return {};  // making it would take much memory
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_plan(const Command& tool) {
  auto arguments = std::make_shared<PlanArguments>();
  const Command command =
      tool.add("plan", "Decide which asset goes to which pack, and in which order");
  arguments->traces.add_to(command, "TRACE", false);
  arguments->content.add_to(command);
  command.option({.name = "--profile",
                  .takes = "PROFILE.json",
                  .help = "A profile made earlier, instead of traces"},
                 arguments->profile);
  command.option({.name = "-o,--output",
                  .takes = "LAYOUT.json",
                  .help = "Output file for the layout, as JSON",
                  .is_required = true},
                 arguments->output);
  arguments->plan.add_to(command);
  arguments->answer.add_verbose(command);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless plan traces/*.lz4 --content /usr/share/games/warzone2100 \\\n"
      "    -o layout.json");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
