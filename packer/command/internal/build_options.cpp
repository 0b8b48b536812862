#include "packer/command/internal/build_options.h"

#include <limits>

namespace seekless {

void BuildArguments::add_to(const Command& command) {
  command.option({.name = "FILE", .help = "The build file, or its folder"}, build_file);
  command.option({.name = "--explain", .help = "Say why each output was made"}, explains);
  command.option({.name = "--check,--dry-run",
                  .help = "Write nothing; exit with 1 if an output is out of date"},
                 options.checks_only);
  command.option(
      {.name = "--check-update",
       .takes = "MAX_GB",
       .help = "Write nothing; exit with 1 if the update from the last release would make players "
               "write more than this. A changed file counts with its whole size",
       .range = OptionRange{0, std::numeric_limits<double>::infinity()}},
      most_update_gb);
  command.option({.name = "--paranoid",
                  .help = "Read all content, even files whose size and time haven't changed"},
                 options.reads_all);
  command.option({.name = "--relayout",
                  .help = "Plan a new layout instead of keeping the last release's. Loads get "
                          "faster, but the patch is large"},
                 options.makes_new_layout);
  command.option({.name = "--patch-price",
                  .takes = "SECONDS_PER_MB",
                  .help = "Plan a new layout if it saves at least this many seconds, over all "
                          "scenarios, for each MB of the patch from the last release",
                  .range = OptionRange{0, std::numeric_limits<double>::infinity()}},
                 options.patch_price);
  command.option(
      {.name = "--layout", .takes = "LAYOUT.json", .help = "Also write the layout to this file"},
      layout);
  command.option({.name = "-j,--threads",
                  .help = "Number of threads; doesn't change the result",
                  .range = OptionRange{1, 64}},
                 threads);
  command.option({.name = "-o,--output",
                  .takes = "DIR",
                  .help = "Folder for the packs, instead of the one that the build file names"},
                 output);
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
