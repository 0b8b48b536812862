// seekless apply: carries out a patch on a pack set.
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
  return output.result(to_json(answer));
}

Result<void> run_rollback(const ApplyArguments& arguments) {
  const auto id = roll_back_set(arguments.old);
  if (!id) return std::unexpected(id.error());
  return tell(arguments.answer, {.old = arguments.old,
                                 .output = arguments.old,
                                 .applied = {.new_id = *id},
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

void add_apply(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<ApplyArguments>();
  CLI::App* command = app.add_subcommand("apply", "Carry out a patch on a pack set");
  command->add_option("OLD", arguments->old, "The set, or the pack, that the patch is for")
      ->required();
  auto* patch = command->add_option("PATCH", arguments->patch, "Made by 'seekless patch'");
  auto* output =
      command
          ->add_option("-o,--output", arguments->output,
                       "Where the new set goes: a folder (for a single pack, a file); without it "
                       "the new set replaces the old one in one step, when all changed packs are "
                       "whole beside it")
          ->type_name("NEW");
  auto* by_file = command->add_flag("--file-by-file", arguments->in_place.is_file_by_file,
                                    "Replace one pack after the other, in its place where most of "
                                    "it stays, which needs room for the largest change alone; "
                                    "until it is through, readers refuse the set, and if it is "
                                    "interrupted, call it again");
  auto* keeps = command->add_flag("--keep-old", arguments->in_place.keeps_old,
                                  "Leave what is replaced in OLD/.seekless-old, for --rollback");
  auto* back = command->add_flag("--rollback", arguments->rolls_back,
                                 "Bring back the set that the last apply --keep-old replaced");
  for (auto* other : {by_file, keeps}) other->excludes(output);
  keeps->excludes(by_file);
  for (CLI::Option* other : {patch, output, by_file, keeps}) back->excludes(other);
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless apply packs 1.0-to-1.1.skp --keep-old\n"
      "  seekless apply packs --rollback");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
