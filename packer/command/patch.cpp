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
  const auto old = open_set_files(arguments.old);
  if (!old) return std::unexpected(old.error());
  const auto now = open_set_files(arguments.now);
  if (!now) return std::unexpected(now.error());
  Progress progress("comparing", bytes_of(*old) + bytes_of(*now));
  const auto written = write_patch(*old, *now, arguments.output, &progress.done_bytes());
  if (!written) return std::unexpected(written.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.finish();
  const PatchAnswer answer = {.patch = arguments.output,
                              .old_id = old->id,
                              .new_id = now->id,
                              .written = *written,
                              .seconds = seconds};
  arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_patch(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<PatchArguments>();
  CLI::App* command = app.add_subcommand("patch", "Make a patch from one pack set to another");
  command->add_option("OLD", arguments->old, "A pack set's folder, or a single pack")->required();
  command->add_option("NEW", arguments->now, "What the patch makes of it")->required();
  command->add_option("-o,--output", arguments->output, "The patch")->required()->type_name("FILE");
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless patch packs-1.0 packs-1.1 -o 1.0-to-1.1.skp");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
