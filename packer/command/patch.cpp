// seekless patch: makes a patch from one pack set to another.
#include <chrono>
#include <memory>

#include "packer/answer/patch_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/progress.h"
#include "packer/patch/set_files.h"

namespace seekless {
namespace {

struct PatchArguments {
  std::string old;
  std::string now;
  std::string output;
  Output answer;
};

uint64_t bytes_of(const SetFiles& set) {
  uint64_t bytes = 0;
  for (const SetFile& file : set.files) bytes += file.size_bytes;
  return bytes;
}

Result<void> run(const PatchArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  SKL_TRY(const auto old, open_set_files(arguments.old));
  SKL_TRY(const auto now, open_set_files(arguments.now));
  Progress progress("comparing", bytes_of(old) + bytes_of(now));
  SKL_TRY(const auto written, write_patch(old, now, arguments.output, &progress.done_bytes()));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.finish();
  const PatchAnswer answer = {.patch = arguments.output,
                              .old_id = old.id,
                              .new_id = now.id,
                              .written = written,
                              .seconds = seconds};
  arguments.answer.line(to_text(answer));
  arguments.answer.next({"apply", arguments.old, arguments.output, "-o", arguments.old + "-new"});
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_patch(const Command& tool) {
  auto arguments = std::make_shared<PatchArguments>();
  const Command command = tool.add("patch", "Make a patch from one pack set to another");
  command.option(
      {.name = "OLD", .help = "A pack set's folder, or a single pack", .is_required = true},
      arguments->old);
  command.option({.name = "NEW",
                  .help = "The new pack set or pack that the patch produces",
                  .is_required = true},
                 arguments->now);
  command.option({.name = "-o,--output",
                  .takes = "FILE",
                  .help = "Output file for the patch",
                  .is_required = true},
                 arguments->output);
  arguments->answer.add_option(command);
  command.footer("Example:\n  seekless patch packs-1.0 packs-1.1 -o 1.0-to-1.1.skp");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
