#include "packer/command/internal/plan_options.h"

#include "packer/plan/plan_texts.h"

namespace seekless {
void PlannerArguments::add_to(CLI::App& command) {
  command
      .add_option("--drive", drive,
                  "A built-in profile, or a file as in schemas/drive.schema.json [wd-black-1tb]")
      ->type_name("NAME|FILE.json");
  command
      .add_option("--build", build_file,
                  "The game's build file: rules, weights, sessions, budget, gain; options override "
                  "what it says")
      ->type_name("FILE.json");
  command
      .add_option("--budget", asked.budget_ratio,
                  "Largest size of all packs together, as a multiple of the content's: 1 for no "
                  "copies [1.5]")
      ->type_name("RATIO");
  command
      .add_option("--gain", asked.gain_s_per_gb,
                  "Seconds, over all scenarios, that a GB of copies has to save [1]")
      ->type_name("SECONDS_PER_GB");
  command
      .add_option("--weight", weights,
                  "The weight of a scenario's seconds, instead of 1; repeatable")
      ->type_name("SCENARIO=W")
      ->allow_extra_args(false);
  command
      .add_option("--session", sessions,
                  "Scenarios in the order they are played: what one has read is in memory for the "
                  "later ones; repeatable")
      ->type_name("A,B,C")
      ->allow_extra_args(false);
  command.add_flag("--drop-outliers", asked.drop_outliers,
                   "Leave out runs that read other things than most runs of their scenario");
  command
      .add_option("--block", asked.block_bytes,
                  "Bytes read at once: 64 KiB to 16 MiB, a power of two [2097152]")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  command
      .add_option("--align", alignments,
                  "Alignment of assets that match, instead of 64 bytes; repeatable")
      ->type_name("GLOB=BYTES")
      ->allow_extra_args(false);
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
