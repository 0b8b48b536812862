// seekless doctor: tests which commands work on this machine, and says how to fix the others.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "packer/answer/doctor_answer.h"
#include "packer/command/internal/command.h"
#include "packer/host/own_folder.h"

namespace seekless {
namespace {

struct DoctorArguments {
  std::string folder;
  std::vector<std::string> needed;
  Output answer;
};

Result<std::string> folder_to_try(const DoctorArguments& arguments) {
  if (!arguments.folder.empty()) return folder_that_answers(arguments.folder);
  const std::string home = home_folder();
  auto found = folder_that_answers(home.empty() ? "." : home);
  return found || home.empty() ? found : folder_that_answers(".");
}

Result<void> check_needed(const Checkup& checkup, const std::vector<std::string>& commands) {
  for (const std::string& command : commands) {
    const auto missing = hindrances(checkup, command);
    if (missing.empty()) continue;
    std::vector<std::string> names;
    for (const Finding* finding : missing) names.push_back(finding->name);
    return failed({.place = "--need",
                   .expected = fmt::format("that '{}' works here", command),
                   .found = fmt::format("that it lacks: {}", fmt::join(names, ", ")),
                   .advice = missing.front()->advice});
  }
  return {};
}

Result<void> run(const DoctorArguments& arguments) {
  SKL_TRY(const auto folder, folder_to_try(arguments));
  const Checkup checkup = check_up(folder);
  arguments.answer.line(to_text(checkup));
  if (checkup.is_rotational.value_or(true) && !arguments.folder.empty())
    arguments.answer.next({"advise", folder});
  else if (checkup.is_rotational.value_or(true))
    arguments.answer.next({"games"});
  SKL_TRY_DO(arguments.answer.result(to_json(checkup)));
  return check_needed(checkup, arguments.needed);
}

}  // namespace

void add_doctor(const Command& tool) {
  auto arguments = std::make_shared<DoctorArguments>();
  const Command command =
      tool.add("doctor", "Test which commands work on this machine, and say how to fix the others");
  command.option({.name = "FOLDER",
                  .takes = "DIR",
                  .help = "The folder to run the tests in, such as a game's",
                  .usual = "your home folder"},
                 arguments->folder);
  command.option({.name = "--need",
                  .takes = "COMMAND",
                  .help = "Exit with 1 if this command doesn't work here; repeatable",
                  .values = checked_commands()},
                 arguments->needed);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n  seekless doctor ~/games/quake\n  seekless doctor --need play && echo "
      "ready\n\nEach test really tries the operation, in a separate process. It takes at "
      "most\nfive seconds and leaves nothing behind. Without --need, the exit code is\nalways 0.");
  command.without_progress();
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
