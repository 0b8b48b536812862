// seekless restore: brings back the archives that `repack --in-place` replaced, and deletes the
// overlay that `repack --overlay` wrote.
// Result: {command, folder, restored: [path], unchanged: [path], set_aside: [path], lost: [path],
// overlays: [name], discarded: [path], discarded_bytes}
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/command.h"
#include "packer/repack/originals.h"
#include "packer/repack/overlay_file.h"
#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

struct RestoreArguments {
  std::string folder;
  bool force = false;
  bool discards = false;
  Output answer;
};

Json to_json(const RestoreArguments& arguments, const RestoreReport& report,
             const std::vector<std::string>& overlays, const KeptOriginals& dropped) {
  return {{"command", "restore"},
          {"folder", arguments.folder},
          {"restored", report.restored},
          {"unchanged", report.unchanged},
          {"set_aside", report.set_aside},
          {"lost", report.lost},
          {"overlays", overlays},
          {"discarded", dropped.names},
          {"discarded_bytes", dropped.size_bytes}};
}

Result<void> discard(const RestoreArguments& arguments) {
  const auto dropped = discard_originals(arguments.folder);
  if (!dropped) return std::unexpected(dropped.error());
  const Output& answer = arguments.answer;
  for (const std::string& name : dropped->names)
    answer.line(fmt::format("  {:<28} dropped: the new archive is whole", in_one_line(name)));
  answer.line(dropped->names.empty() ? fmt::format("{}: no originals to drop", arguments.folder)
                                     : fmt::format("{}: {:.1f} MB are free again", arguments.folder,
                                                   megabytes(dropped->size_bytes)));
  return answer.result(to_json(arguments, RestoreReport{}, {}, *dropped));
}

Result<void> run(const RestoreArguments& arguments) {
  if (arguments.discards && arguments.force)
    return wrong_usage({.place = "restore",
                        .expected = "--force or --discard",
                        .found = "both",
                        .advice = "an original is dropped only if its new archive is whole"});
  if (arguments.discards) return discard(arguments);
  const auto report = restore_originals(arguments.folder, arguments.force);
  if (!report) return std::unexpected(report.error());
  const auto overlays = remove_overlays(arguments.folder);
  if (!overlays) return std::unexpected(overlays.error());
  const Output& answer = arguments.answer;
  for (const std::string& name : *overlays)
    answer.line(fmt::format("  {:<28} deleted: it was an overlay", in_one_line(name)));
  for (const std::string& name : report->restored)
    answer.line(fmt::format("  {:<28} restored", in_one_line(name)));
  for (const std::string& name : report->unchanged)
    answer.line(fmt::format("  {:<28} is still the original", in_one_line(name)));
  for (const std::string& name : report->lost)
    answer.warn(fmt::format("{}: stays repacked, as its original is damaged or gone", name));
  for (const std::string& name : report->set_aside)
    answer.line(fmt::format("  what somebody else had put there is kept as {}", in_one_line(name)));
  const size_t count = report->restored.size() + report->unchanged.size();
  answer.line(count == 0 ? fmt::format("{}: {} to restore", arguments.folder,
                                       overlays->empty() ? "nothing" : "no archive")
                         : fmt::format("{}: {} back", arguments.folder,
                                       counted(count, "original is", "originals are")));
  return answer.result(to_json(arguments, *report, *overlays, {}));
}

}  // namespace

void add_restore(const Command& tool) {
  auto arguments = std::make_shared<RestoreArguments>();
  const Command command = tool.add(
      "restore", "Bring back what 'repack --in-place' replaced, or drop it; delete an overlay");
  command.option({.name = "DIR",
                  .help = "The folder that was repacked, or that a single archive lies in",
                  .is_required = true},
                 arguments->folder);
  command.option(
      {.name = "--force",
       .help = "Go on if archives have been changed since, and keep those under another "
               "name; or if originals are damaged, and leave their archives as they are"},
      arguments->force);
  command.option(
      {.name = "--discard",
       .help = "Check that the new archives are whole, then delete the originals for good, "
               "which frees their room"},
      arguments->discards);
  arguments->answer.add_option(command);
  command.footer(
      "Safe to run at any time and as often as you like, after a crash as well.\n"
      "Example:\n"
      "  seekless restore ~/game/baseoa");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
