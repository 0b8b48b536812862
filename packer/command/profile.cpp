// seekless profile: shows which assets each scenario of the traces needs, and in which order.
#include <memory>

#include "packer/answer/profile_answer.h"
#include "packer/command/internal/inputs.h"
#include "packer/command/internal/next_step.h"

namespace seekless {
namespace {

struct ProfileArguments {
  TraceOptions traces;
  ContentOptions content;
  std::string output;
  Output answer;
};

Result<void> run(const ProfileArguments& arguments) {
  SKL_TRY(const auto content, read_content(arguments.content, arguments.answer));
  std::vector<TraceMapping> mappings;
  SKL_TRY(const auto profile, profile_traces(arguments.traces, arguments.content, content,
                                             arguments.answer, &mappings));
  SKL_TRY_DO(write_profile(profile, arguments.output));
  const ProfileAnswer answer = {.output = arguments.output, .profile = profile, .traces = mappings};
  if (!profile.scenarios.empty()) arguments.answer.line(to_text(answer));
  tell_unmapped(mappings, arguments.answer);
  CommandWords next = {"plan", "--profile", arguments.output};
  add_content(next, arguments.content);
  next.insert(next.end(), {"-o", beside(arguments.output, "layout.json")});
  arguments.answer.next(next);
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_profile(const Command& tool) {
  auto arguments = std::make_shared<ProfileArguments>();
  const Command command = tool.add("profile", "List the content that each recorded scenario needs");
  arguments->traces.add_to(command, "TRACE");
  arguments->content.add_to(command);
  command.option({.name = "-o,--output",
                  .takes = "PROFILE.json",
                  .help = "Output file for the profile, as JSON",
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
