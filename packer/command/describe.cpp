// seekless completion, seekless manual: scripts for shells and man pages, made of the option
// parser's own tables. The build runs them; so can who has the tool alone. Not shown in the help.
#include <memory>

#include <fmt/format.h>

#include "packer/command/internal/command.h"
#include "packer/command/internal/command_table.h"
#include "packer/command/internal/completion.h"
#include "packer/command/internal/man_page.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

struct DescribeArguments {
  std::string shell;
  std::string folder;
  std::string date;
};

Result<void> print_completion(const DescribeArguments& arguments, CLI::App& app) {
  const std::vector<DescribedCommand> commands = describe_commands(app);
  if (arguments.shell == "bash") return write_text("-", bash_completion(commands));
  if (arguments.shell == "zsh") return write_text("-", zsh_completion(commands));
  return write_text("-", fish_completion(commands));
}

Result<void> write_manual(const DescribeArguments& arguments, CLI::App& app) {
  if (auto made = make_folders(arguments.folder); !made) return made;
  const std::vector<DescribedCommand> commands = describe_commands(app);
  for (const DescribedCommand& command : commands) {
    const std::string page = man_page(commands, command, arguments.date, app.version());
    const std::string path = fmt::format("{}/{}.1", arguments.folder, man_page_name(command));
    if (auto written = write_text(path, page); !written) return written;
  }
  return {};
}

}  // namespace

void add_completion(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<DescribeArguments>();
  CLI::App* command = app.add_subcommand("completion", "Print a script for completion in a shell");
  command->group("");
  command->add_option("SHELL", arguments->shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([arguments, &app, &chosen] {
    chosen = [arguments, &app] { return print_completion(*arguments, app); };
  });
}

void add_manual(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<DescribeArguments>();
  CLI::App* command = app.add_subcommand("manual", "Write the man pages to a folder");
  command->group("");
  command->add_option("DIR", arguments->folder, "The folder; made if it doesn't exist")->required();
  command->add_option("--date", arguments->date, "The date on the pages, such as 2026-11-21")
      ->required();
  command->callback([arguments, &app, &chosen] {
    chosen = [arguments, &app] { return write_manual(*arguments, app); };
  });
}

}  // namespace seekless
