// seekless apply: carries out a patch on a pack set.
// Result: {command, old, new_id, files_made, files_kept, written_bytes, seconds}
#include "packer/patch/apply.h"

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/progress.h"
#include "packer/host/counted.h"
#include "packer/patch/set_files.h"

namespace seekless {
namespace {

struct Arguments {
  std::string old;
  std::string patch;
  std::string output;
  Output answer;
};

Result<void> run(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const bool in_place = arguments.output.empty();
  Progress progress("applying");
  const auto applied =
      in_place
          ? apply_in_place(arguments.old, arguments.patch, &progress.done_bytes())
          : apply_patch(arguments.old, arguments.patch, arguments.output, &progress.done_bytes());
  progress.finish();
  if (!applied) return std::unexpected(applied.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  arguments.answer.line(fmt::format("{}: now {}; {} made ({:.1f} MB), {} as before; {:.1f} s",
                                    in_place ? arguments.old : arguments.output,
                                    id_text(applied->new_id), counted(applied->files_made, "file"),
                                    megabytes(applied->written_bytes), applied->files_kept,
                                    seconds));
  return arguments.answer.result({{"command", "apply"},
                                  {"old", arguments.old},
                                  {"new_id", id_text(applied->new_id)},
                                  {"files_made", applied->files_made},
                                  {"files_kept", applied->files_kept},
                                  {"written_bytes", applied->written_bytes},
                                  {"seconds", seconds}});
}

}  // namespace

void add_apply(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("apply", "Carry out a patch on a pack set");
  command->add_option("OLD", arguments->old, "The set, or the pack, that the patch is for")
      ->required();
  command->add_option("PATCH", arguments->patch, "Made by 'seekless patch'")->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "Where the new set goes: a folder (for a single pack, a file); without it the "
                   "new set replaces the old one, which needs room for one more pack; if that is "
                   "interrupted, call it again")
      ->type_name("NEW");
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless apply packs 1.0-to-1.1.skp");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
