// seekless drive: the profiles of drives; list and show are here, calibrate is in
// drive_calibrate.cpp.
#include <memory>

#include <fmt/format.h>

#include "packer/answer/drive_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_command.h"
#include "packer/command/internal/drive_options.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

struct ShowArguments {
  std::string drive;
  std::string output;
  std::string json;
};

Result<void> list(const Output& answer) {
  const DriveListAnswer drives = {.drives = builtin_profiles()};
  answer.line(to_text(drives));
  return answer.result(to_json(drives));
}

Result<void> show(const ShowArguments& arguments) {
  const auto profile = get_drive(arguments.drive);
  if (!profile) return std::unexpected(profile.error());
  if (arguments.json != "-" && arguments.output != "-")
    fmt::print("{}\n", printable(describe_profile(*profile)));
  for (const std::string& path : {arguments.output, arguments.json})
    if (!path.empty())
      if (auto written = write_text(path, to_json(*profile)); !written) return written;
  return {};
}

void add_list_of(CLI::App& drive, Action& chosen) {
  auto answer = std::make_shared<Output>();
  CLI::App* command = drive.add_subcommand("list", "List the built-in profiles");
  answer->add_option(*command);
  command->footer("Example:\n  seekless drive list");
  command->callback([answer, &chosen] { chosen = [answer] { return list(*answer); }; });
}

void add_show_of(CLI::App& drive, Action& chosen) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = drive.add_subcommand("show", "Show a profile and what follows from it");
  command
      ->add_option("DRIVE", arguments->drive,
                   "A built-in profile, or a file as in schemas/drive.schema.json")
      ->type_name("NAME|FILE.json")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "Write the profile itself, to begin one of your own; '-' is stdout")
      ->type_name("FILE");
  command->add_option("--json", arguments->json, "The same")->type_name("FILE");
  command->footer("Example:\n  seekless drive show wd-black-1tb -o mine.json");
  command->callback([arguments, &chosen] { chosen = [arguments] { return show(*arguments); }; });
}

}  // namespace

void add_drive(CLI::App& app, Action& chosen) {
  CLI::App* drive = app.add_subcommand("drive", "List, show and measure models of drives");
  drive->require_subcommand(1);
  add_list_of(*drive, chosen);
  add_show_of(*drive, chosen);
  add_calibrate(*drive, chosen);
}

}  // namespace seekless
