#include "packer/command/internal/plan_options.h"

#include "packer/plan/plan_texts.h"

namespace seekless {
void PlannerArguments::add_to(const Command& command) {
  command.option({.name = "--drive",
                  .takes = "NAME|FILE.json",
                  .help = "A built-in profile, or a file as in schemas/drive.schema.json",
                  .usual = "wd-black-1tb"},
                 drive);
  command.option(
      {.name = "--build",
       .takes = "FILE.json",
       .help = "The game's build file: rules, weights, sessions, budget, gain; options override "
               "what it says"},
      build_file);
  command.option(
      {.name = "--budget",
       .takes = "RATIO",
       .help =
           "Largest size of all packs together, as a multiple of the content's: 1 for no copies",
       .usual = "1.5"},
      asked.budget_ratio);
  command.option({.name = "--gain",
                  .takes = "SECONDS_PER_GB",
                  .help = "Seconds, over all scenarios, that a GB of copies has to save",
                  .usual = "1"},
                 asked.gain_s_per_gb);
  command.option({.name = "--weight",
                  .takes = "SCENARIO=W",
                  .help = "The weight of a scenario's seconds, instead of 1; repeatable"},
                 weights);
  command.option(
      {.name = "--session",
       .takes = "A,B,C",
       .help = "Scenarios in the order they are played: what one has read is in memory for the "
               "later ones; repeatable"},
      sessions);
  command.option({.name = "--drop-outliers",
                  .help = "Leave out runs that read other things than most runs of their scenario"},
                 asked.drop_outliers);
  command.option({.name = "--block",
                  .takes = "SIZE",
                  .help = "Bytes read at once: 64 KiB to 16 MiB, a power of two",
                  .usual = "2097152",
                  .size = SizeUnits::powers_of_1024},
                 asked.block_bytes);
  command.option({.name = "--align",
                  .takes = "GLOB=BYTES",
                  .help = "Alignment of assets that match, instead of 64 bytes; repeatable"},
                 alignments);
}

// Options given here override what the build file says.
Result<PlanOptions> PlannerArguments::options() const {
  auto settings = build_file.empty() ? PlanSettings() : read_plan_settings(build_file);
  if (!settings) return std::unexpected(settings.error());
  auto here = parsed();
  if (!here) return std::unexpected(here.error());
  if (drive) settings->drives.clear();
  auto options = plan_options_of(with(*std::move(settings), *std::move(here)), build_file);
  if (!options || !drive) return options;
  auto profile = get_drive(*drive);
  if (!profile) return std::unexpected(profile.error());
  options->drive = *std::move(profile);
  return options;
}

Result<PlanSettings> PlannerArguments::parsed() const {
  PlanSettings settings = asked;
  Result<void> good;
  if (settings.block_bytes) good = check_block(*settings.block_bytes, "", "--block");
  if (good && settings.budget_ratio) good = check_budget(*settings.budget_ratio, "", "--budget");
  if (good && settings.gain_s_per_gb) good = check_gain(*settings.gain_s_per_gb, "", "--gain");
  if (good) good = add_weights(weights, settings.weights);
  if (good) good = add_sessions(sessions, settings);
  if (good) good = add_alignments(alignments, settings);
  return good ? Result<PlanSettings>(std::move(settings)) : std::unexpected(good.error());
}

bool PlannerArguments::names_drive() const {
  if (drive || build_file.empty()) return drive.has_value();
  const auto settings = read_plan_settings(build_file);
  return settings && !settings->drives.empty();
}

}  // namespace seekless
