// seekless completion, manual, settings: print scripts for shells, man pages and a part of
// schemas/build.schema.json, all generated from the tool's own tables. The build runs the first
// two, and users can run them without the source. The help doesn't show these commands.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/command.h"
#include "packer/command/internal/command_table.h"
#include "packer/command/internal/completion.h"
#include "packer/command/internal/man_page.h"
#include "packer/host/files.h"
#include "packer/plan/plan_setting.h"

namespace seekless {
namespace {

struct DescribeArguments {
  std::string shell;
  std::string folder;
  std::string date;
};

Result<void> print_completion(const DescribeArguments& arguments, const Command& tool) {
  const std::vector<DescribedCommand> commands = describe_commands(tool.tool());
  if (arguments.shell == "bash") return write_text("-", bash_completion(commands));
  if (arguments.shell == "zsh") return write_text("-", zsh_completion(commands));
  return write_text("-", fish_completion(commands));
}

Result<void> write_manual(const DescribeArguments& arguments, const Command& tool) {
  SKL_TRY_DO(make_folders(arguments.folder));
  const std::vector<DescribedCommand> commands = describe_commands(tool.tool());
  for (const DescribedCommand& command : commands) {
    const std::string page = man_page(commands, command, arguments.date, tool.version());
    const std::string path = fmt::format("{}/{}.1", arguments.folder, man_page_name(command));
    SKL_TRY_DO(write_text(path, page));
  }
  return {};
}

// Prints the part of the schema that describes the planner's settings; "rules" is written by hand.
Result<void> print_settings() {
  Json properties = Json::object();
  for (const PlanSetting& setting : plan_setting_table())
    if (setting.key != "rules") properties[std::string(setting.key)] = schema_of(setting);
  return write_text("-", properties.dump(2) + "\n");
}

}  // namespace

void add_completion(const Command& tool) {
  auto arguments = std::make_shared<DescribeArguments>();
  const Command command = tool.add("completion", "Print a completion script for a shell");
  command.option({.name = "SHELL",
                  .help = "The shell",
                  .values = {"bash", "zsh", "fish"},
                  .is_required = true},
                 arguments->shell);
  command.without_progress();
  command.runs([arguments, tool] { return print_completion(*arguments, tool); });
}

void add_manual(const Command& tool) {
  auto arguments = std::make_shared<DescribeArguments>();
  const Command command = tool.add("manual", "Write the man pages to a folder");
  command.option(
      {.name = "DIR", .help = "The folder; made if it doesn't exist", .is_required = true},
      arguments->folder);
  command.option({.name = "--date",
                  .takes = "DATE",
                  .help = "The date on the pages, such as 2026-11-21",
                  .is_required = true},
                 arguments->date);
  command.without_progress();
  command.runs([arguments, tool] { return write_manual(*arguments, tool); });
}

void add_settings(const Command& tool) {
  const Command command = tool.add("settings", "Print the schema of the planner's settings");
  command.without_progress();
  command.runs(print_settings);
}

}  // namespace seekless
