// seekless mount: shows a pack set as a read-only folder.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <syslog.h>

#include "packer/answer/mount_answer.h"
#include "packer/base/json_depth.h"
#include "packer/command/internal/command.h"
#include "packer/host/block_device.h"
#include "packer/host/files.h"
#include "packer/mount/background.h"
#include "packer/mount/set_server.h"
#include "packer/serve/session.h"

namespace seekless {
namespace {

struct MountArguments {
  std::string set;
  std::string folder;
  std::vector<std::string> options;
  bool stays = false;  // true in the foreground
  bool always_sweeps = false;
  Output answer;
};

// Returns true if packs are to be swept. On an SSD, seeks cost nothing, so a sweep would only delay
// reads.
bool is_to_sweep(const MountArguments& arguments) {
  return arguments.always_sweeps || drive_of_path(arguments.set).is_rotational.value_or(true);
}

SetMount mount_for(const MountArguments& arguments) {
  SetMount mount = {.set = arguments.set,
                    .folder = arguments.folder,
                    .options = arguments.options,
                    .sweeps = is_to_sweep(arguments),
                    .warn = {}};
  if (arguments.stays)
    mount.warn = [&answer = arguments.answer](std::string_view text) { answer.warn(text); };
  else
    mount.warn = [](std::string_view text) {
      ::syslog(LOG_WARNING, "seekless: %s", std::string(text).c_str());
    };
  return mount;
}

MountAnswer answer_of(const MountArguments& arguments, const MountedSet& mounted) {
  return {.set = arguments.set,
          .folder = arguments.folder,
          .files = mounted.files,
          .bytes = mounted.bytes,
          .scenarios = mounted.scenarios,
          .left_out = mounted.left_out,
          .scenarios_left_out = mounted.scenarios_left_out};
}

Result<void> tell(const Output& output, const std::string& mounted) {
  const MountAnswer answer = mount_answer_of(parse_json<Json>(mounted));
  for (const std::string& warning : warnings_of(answer)) output.warn(warning);
  output.line(to_text(answer));
  SKL_TRY_DO(output.result(to_json(answer)));
  std::fflush(stdout);  // in the foreground, nothing else flushes the text for a while
  return {};
}

Result<void> serve(const MountArguments& arguments, const TellReady& ready) {
  SKL_TRY(const auto server, SetServer::mount(mount_for(arguments)));
  ready(to_json(answer_of(arguments, server->mounted())).dump());
  return server->serve();
}

Result<void> run(MountArguments& arguments) {
  SKL_TRY_DO(check_can_serve("; or use 'seekless extract'"));
  arguments.set = canonical_path(arguments.set);
  arguments.folder = canonical_path(arguments.folder);
  Result<void> told;
  if (arguments.stays) {
    auto served = serve(
        arguments, [&](const std::string& mounted) { told = tell(arguments.answer, mounted); });
    return served ? told : served;
  }
  const auto mounted =
      run_in_background([&](const TellReady& ready) { return serve(arguments, ready); });
  if (!mounted) return std::unexpected(mounted.error());
  return tell(arguments.answer, *mounted);
}

}  // namespace

void add_mount(const Command& tool) {
  auto arguments = std::make_shared<MountArguments>();
  const Command command = tool.add("mount", "Show a pack set as a read-only folder");
  command.option(
      {.name = "PACKSET", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->set);
  command.option(
      {.name = "FOLDER", .takes = "DIR", .help = "Mount point, a folder", .is_required = true},
      arguments->folder);
  command.option({.name = "-f,--foreground",
                  .help = "Run in the foreground until the folder is unmounted, or Ctrl-C"},
                 arguments->stays);
  command.option({.name = "-o",
                  .takes = "OPTIONS",
                  .help = "Mount options, such as allow_other or auto_unmount"},
                 arguments->options);
  command.option({.name = "--always", .help = "Read whole scenarios into memory even on SSDs"},
                 arguments->always_sweeps);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n  seekless mount packs /mnt/game && ls /mnt/game && fusermount3 -u "
      "/mnt/game\n\nTo read a scenario into memory in the order of the disk, open the hidden "
      "folder\nFOLDER/.seekless/scenarios/NAME. If you don't, the scenario is recognised by "
      "its\nfirst reads, and then read into memory in the same way.");
  command.without_progress();
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
