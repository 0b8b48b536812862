#include "packer/command/internal/build_options.h"

namespace seekless {

void BuildArguments::add_to(CLI::App& command) {
  command.add_option("FILE", build_file, "The build file, or its folder")->capture_default_str();
  command.add_flag("--explain", explains, "Say why each thing was done");
  command.add_flag("--check,--dry-run", options.checks_only,
                   "Write nothing; exit with 1 if something would be written");
  command
      .add_option("--check-update", most_update_gb,
                  "Write nothing; exit with 1 if players who make touched files anew would write "
                  "more for the update from the lock's release")
      ->check(CLI::NonNegativeNumber)
      ->type_name("MAX_GB");
  command.add_flag("--paranoid", options.reads_all,
                   "Read all content, even files whose size and time haven't changed");
  command.add_flag("--relayout", options.makes_new_layout,
                   "Make a new layout instead of keeping the one in the lock: faster loads, but a "
                   "large patch");
  command
      .add_option("--patch-price", options.patch_price,
                  "Make a new layout if it saves at least this many seconds, over all scenarios, "
                  "for each MB that it adds to the patch")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS_PER_MB");
  command.add_option("--layout", layout, "Write the layout that was used to this file")
      ->type_name("LAYOUT.json");
  command.add_option("-j,--threads", threads, "Threads to use; the result is the same")
      ->check(CLI::Range(1, 64));
  command.add_option("-o,--output", output, "The packs' folder, instead of the build file's")
      ->type_name("DIR");
  step.add_to(command);
  answer.add_option(command);
  command.footer("Example:\n  seekless init game\n  seekless build game");
}

Result<BuildFile> BuildArguments::read_file() const {
  auto file = read_build_file(build_file);
  if (!file || output.empty()) return file;
  if (!file->packs)
    return wrong_usage({.file = file->path,
                        .expected = "packs among the outputs, for --output",
                        .found = "none",
                        .advice = "leave --output out, or add packs"});
  file->packs->folder = output;
  return file;
}

}  // namespace seekless
