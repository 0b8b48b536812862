// seekless restore: brings back the archives that `repack --in-place` replaced.
// Result: {command, folder, restored: [path], unchanged: [path], set_aside: [path]}
#include <memory>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/repack/originals.h"

namespace seekless {
namespace {

struct Arguments {
  std::string folder;
  bool force = false;
  Output answer;
};

Result<void> run(const Arguments& arguments) {
  const auto report = restore_originals(arguments.folder, arguments.force);
  if (!report) return std::unexpected(report.error());
  const Output& answer = arguments.answer;
  for (const std::string& name : report->restored)
    answer.line(fmt::format("  {:<28} restored", name));
  for (const std::string& name : report->unchanged)
    answer.line(fmt::format("  {:<28} is the original still", name));
  for (const std::string& name : report->set_aside)
    answer.line(fmt::format("  what somebody else had put there is kept as {}", name));
  const size_t count = report->restored.size() + report->unchanged.size();
  answer.line(count == 0 ? fmt::format("{}: nothing to restore", arguments.folder)
                         : fmt::format("{}: {} back", arguments.folder,
                                       count == 1 ? "1 original is"
                                                  : fmt::format("{} originals are", count)));
  return answer.result({{"command", "restore"},
                        {"folder", arguments.folder},
                        {"restored", report->restored},
                        {"unchanged", report->unchanged},
                        {"set_aside", report->set_aside}});
}

}  // namespace

void add_restore(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("restore", "Bring back the archives that 'repack --in-place' replaced");
  command
      ->add_option("DIR", arguments->folder,
                   "The folder that was repacked, or that a single archive lies in")
      ->required();
  command->add_flag("--force", arguments->force,
                    "Keep archives that others have changed since under another name, and go on");
  arguments->answer.add_option(*command);
  command->footer(
      "Safe to run at any time and as often as you like, after a crash as well.\n"
      "Example:\n"
      "  seekless restore ~/game/baseoa");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
