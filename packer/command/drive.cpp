// seekless drive: shows the profiles of drives. The commands list and show are here; calibrate is
// in drive_calibrate.cpp, check and fit in drive_check.cpp.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
  SKL_TRY(const auto profile, get_drive(arguments.drive));
  if (arguments.json != "-" && arguments.output != "-")
    fmt::print("{}\n", printable(describe_profile(profile)));
  for (const std::string& path : {arguments.output, arguments.json})
    if (!path.empty()) SKL_TRY_DO(write_text(path, to_json(profile)));
  return {};
}

void add_list_of(const Command& drive) {
  auto answer = std::make_shared<Output>();
  const Command command = drive.add("list", "List the built-in profiles");
  answer->add_option(command);
  command.footer("Example:\n  seekless drive list");
  command.runs([answer] { return list(*answer); });
}

void add_show_of(const Command& drive) {
  auto arguments = std::make_shared<ShowArguments>();
  const Command command = drive.add("show", "Show a drive's profile, and the times it predicts");
  command.option({.name = "DRIVE",
                  .takes = "NAME|FILE.json",
                  .help = "A built-in profile, or a file that follows schemas/drive.schema.json",
                  .is_required = true},
                 arguments->drive);
  command.option({.name = "-o,--output",
                  .takes = "FILE",
                  .help = "Also write the profile to this file, for you to edit; '-' is stdout"},
                 arguments->output);
  command.option({.name = "--json", .takes = "FILE", .help = "Like --output"}, arguments->json);
  command.footer("Example:\n  seekless drive show wd-black-1tb -o mine.json");
  command.runs([arguments] { return show(*arguments); });
}

}  // namespace

void add_drive(const Command& tool) {
  const Command drive = tool.add("drive", "Measure drives; list, show and check their models");
  drive.needs_command();
  drive.without_progress();
  add_list_of(drive);
  add_show_of(drive);
  add_calibrate(drive);
  add_check(drive);
  add_fit(drive);
}

}  // namespace seekless
