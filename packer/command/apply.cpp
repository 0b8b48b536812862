// seekless apply: applies a patch to a pack set.
#include <chrono>
#include <memory>

#include "packer/answer/apply_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/progress.h"

namespace seekless {
namespace {

struct ApplyArguments {
  std::string old;
  std::string patch;
  std::string output;
  InPlaceOptions in_place;
  bool rolls_back = false;
  Output answer;
};

Result<void> tell(const Output& output, const ApplyAnswer& answer) {
  output.line(to_text(answer));
  output.next({"verify", answer.output});
  return output.result(to_json(answer));
}

Result<void> run_rollback(const ApplyArguments& arguments) {
  SKL_TRY(const auto id, roll_back_set(arguments.old));
  return tell(arguments.answer, {.old = arguments.old,
                                 .output = arguments.old,
                                 .applied = {.new_id = id},
                                 .is_rolled_back = true});
}

Result<void> run(const ApplyArguments& arguments) {
  if (arguments.rolls_back) return run_rollback(arguments);
  if (arguments.patch.empty())
    return wrong_usage({.file = "PATCH",
                        .expected = "a patch, or --rollback",
                        .found = "neither",
                        .advice = "'seekless patch' makes one"});
  const auto start = std::chrono::steady_clock::now();
  const bool in_place = arguments.output.empty();
  Progress progress("applying");
  const auto applied = in_place ? apply_in_place(arguments.old, arguments.patch, arguments.in_place,
                                                 &progress.done_bytes())
                                : apply_patch(arguments.old, arguments.patch, arguments.output,
                                              &progress.done_bytes());
  progress.finish();
  if (!applied) return std::unexpected(applied.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return tell(arguments.answer, {.old = arguments.old,
                                 .output = in_place ? arguments.old : arguments.output,
                                 .applied = *applied,
                                 .seconds = seconds});
}

}  // namespace

void add_apply(const Command& tool) {
  auto arguments = std::make_shared<ApplyArguments>();
  const Command command = tool.add("apply", "Apply a patch to a pack set");
  command.option(
      {.name = "OLD", .help = "The pack set or single pack to patch", .is_required = true},
      arguments->old);
  command.option({.name = "PATCH", .help = "A patch made by 'seekless patch'"}, arguments->patch);
  command.option(
      {.name = "-o,--output",
       .takes = "NEW",
       .help = "Output folder, or output file for a single pack. By default, the changed packs are "
               "written beside the old ones, and replace them in one step when all are complete"},
      arguments->output);
  command.option(
      {.name = "--file-by-file",
       .help = "Replace one pack after another; a pack that changes little is edited in "
               "place. This needs free space only for the largest change. Games can't "
               "read the set until all packs are done. If interrupted, run the command again",
       .not_with = {"--output"}},
      arguments->in_place.is_file_by_file);
  command.option({.name = "--keep-old",
                  .help = "Keep the replaced files in OLD/.seekless-old, for --rollback",
                  .not_with = {"--output", "--file-by-file"}},
                 arguments->in_place.keeps_old);
  command.option({.name = "--rollback",
                  .help = "Restore the set that the last 'apply --keep-old' replaced",
                  .not_with = {"PATCH", "--output", "--file-by-file", "--keep-old"}},
                 arguments->rolls_back);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless apply packs 1.0-to-1.1.skp --keep-old\n"
      "  seekless apply packs --rollback");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
