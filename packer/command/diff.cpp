// seekless diff: shows which assets changed between two pack sets, and how large a patch is.
#include <memory>

#include "packer/answer/diff_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/progress.h"
#include "packer/host/terminal.h"
#include "packer/patch/set_files.h"
#include "packer/update/set_change.h"

namespace seekless {
namespace {

struct DiffArguments {
  std::string old;
  std::string now;
  bool quick = false;
  bool all = false;
  std::string drive = kTargetDrive;
  Output answer;
};

Result<DiffAnswer> compare(const DiffArguments& arguments, const DriveProfile& drive,
                           const SetFiles& old, const SetFiles& now) {
  SKL_TRY(auto changes, compare_sets(old, now));
  DiffAnswer answer = {.old = arguments.old,
                       .now = arguments.now,
                       .old_id = old.id,
                       .new_id = now.id,
                       .changes = std::move(changes),
                       .drive = drive.name};
  if (arguments.quick) return answer;
  SKL_TRY(const auto measured, measure_change(old, now));
  answer.patch = measured.total();
  answer.clients = client_costs(measured, drive);
  return answer;
}

Result<void> run(const DiffArguments& arguments) {
  SKL_TRY(const auto drive, get_drive(arguments.drive));
  SKL_TRY(const auto old, open_set_files(arguments.old));
  SKL_TRY(const auto now, open_set_files(arguments.now));
  Progress progress("comparing");
  const auto answer = compare(arguments, drive, old, now);
  progress.finish();
  for (const SetFiles* set : {&old, &now}) SKL_TRY_DO(check_same_set(*set));
  if (!answer) return std::unexpected(answer.error());
  arguments.answer.line(to_text(*answer, arguments.all, terminal_width()));
  if (answer->old_id != answer->new_id)
    arguments.answer.next({"patch", arguments.old, arguments.now, "-o", "update.skp"});
  return arguments.answer.result(to_json(*answer));
}

}  // namespace

void add_diff(const Command& tool) {
  auto arguments = std::make_shared<DiffArguments>();
  const Command command =
      tool.add("diff", "Show what changed between two pack sets, and what an update costs players");
  command.option(
      {.name = "OLD", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->old);
  command.option({.name = "NEW", .help = "The other pack set or pack", .is_required = true},
                 arguments->now);
  command.option(
      {.name = "--quick",
       .help = "Compare only the packs' tables; don't compute how large a patch would be"},
      arguments->quick);
  command.option({.name = "--all", .help = "List every asset that changed"}, arguments->all);
  add_drive_option(command, arguments->drive);
  arguments->answer.add_option(command);
  command.footer("Example:\n  seekless diff packs-1.0 packs-1.1");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
