// seekless restore: brings back the archives that `repack --in-place` replaced, and deletes the
// overlay that `repack --overlay` wrote.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/restore_answer.h"
#include "packer/command/internal/command.h"
#include "packer/repack/overlay_file.h"

namespace seekless {
namespace {

struct RestoreArguments {
  std::string folder;
  bool force = false;
  bool discards = false;
  Output answer;
};

Result<void> tell(const Output& output, const RestoreAnswer& answer) {
  for (const std::string& name : answer.report.lost)
    output.warn(fmt::format("{}: stays repacked, as its original is damaged or gone", name));
  output.line(to_text(answer));
  return output.result(to_json(answer));
}

Result<void> discard(const RestoreArguments& arguments) {
  SKL_TRY(auto discarded, discard_originals(arguments.folder));
  return tell(arguments.answer, {.folder = arguments.folder,
                                 .report = {},
                                 .overlays = {},
                                 .is_discard = true,
                                 .discarded = std::move(discarded)});
}

Result<void> run(const RestoreArguments& arguments) {
  if (arguments.discards && arguments.force)
    return wrong_usage({.place = "restore",
                        .expected = "--force or --discard",
                        .found = "both",
                        .advice = "an original is dropped only if its new archive is whole"});
  if (arguments.discards) return discard(arguments);
  SKL_TRY(auto report, restore_originals(arguments.folder, arguments.force));
  SKL_TRY(auto overlays, remove_overlays(arguments.folder));
  return tell(arguments.answer, {.folder = arguments.folder,
                                 .report = std::move(report),
                                 .overlays = std::move(overlays),
                                 .discarded = {}});
}

}  // namespace

void add_restore(const Command& tool) {
  auto arguments = std::make_shared<RestoreArguments>();
  const Command command = tool.add("restore", "Undo 'repack --in-place', or delete an overlay");
  command.option({.name = "DIR",
                  .help = "The folder that was repacked, or that holds a single repacked archive",
                  .is_required = true},
                 arguments->folder);
  command.option(
      {.name = "--force",
       .help = "Restore even if an archive was changed after the repacking (it is kept under "
               "another name; an updated set of VPKs stays, and its original is kept under another "
               "name), or an original is damaged or missing (its archive stays repacked)"},
      arguments->force);
  command.option({.name = "--discard",
                  .help = "Check that the new archives are whole, then delete the originals to "
                          "free their space. This can't be undone"},
                 arguments->discards);
  arguments->answer.add_option(command);
  command.footer(
      "Safe to run at any time, repeatedly, and after a crash.\nExample:\n  seekless restore "
      "~/game/baseoa");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
