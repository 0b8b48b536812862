// seekless init: a commented build file for a folder.
// Result: {command, build_file, content, files, bytes, traces: [pattern], recordings}
#include <memory>

#include <fmt/format.h>

#include "packer/build/build_file.h"
#include "packer/build/starter_file.h"
#include "packer/command/command.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

struct Arguments {
  std::string folder = ".";
  Output answer;
};

Result<void> run(const Arguments& arguments) {
  const std::string path = (arguments.folder == "." ? "" : arguments.folder + "/") + kBuildFileName;
  if (kind_of_path(path) != PathKind::missing)
    return failed({.file = path,
                   .expected = "no build file yet",
                   .found = "one",
                   .advice = "edit it, or move it away"});
  const auto files = stamp_folder(arguments.folder);
  if (!files) return std::unexpected(files.error());
  const auto starter = make_starter_file(*files, arguments.folder);
  if (!starter) return std::unexpected(starter.error());
  if (auto written = write_text(path, starter->text); !written) return written;
  arguments.answer.line(fmt::format("{}: content in '{}': {} files, {:.1f} MB", path,
                                    starter->content, starter->files, megabytes(starter->bytes)));
  if (starter->recordings == 0)
    arguments.answer.line(
        "no recordings found; 'seekless record' makes them, then name them under \"traces\"");
  else
    arguments.answer.line(
        fmt::format("recordings: {}, such as {}", starter->recordings, starter->traces.front()));
  arguments.answer.line(fmt::format("look through it, then: seekless build{}",
                                    arguments.folder == "." ? "" : " " + arguments.folder));
  return arguments.answer.result({{"command", "init"},
                                  {"build_file", path},
                                  {"content", starter->content},
                                  {"files", starter->files},
                                  {"bytes", starter->bytes},
                                  {"traces", starter->traces},
                                  {"recordings", starter->recordings}});
}

}  // namespace

void add_init(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("init", "Write a build file for a folder, to begin with");
  command->add_option("FOLDER", arguments->folder, "With content, and recordings if there are any")
      ->capture_default_str();
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless init game");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
