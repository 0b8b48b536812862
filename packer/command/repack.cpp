// seekless repack: rewrites a game's archives under their own names, in the order recordings read.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "packer/answer/repack_answer.h"
#include "packer/command/internal/repack_inputs.h"
#include "packer/command/internal/repack_options.h"
#include "packer/command/internal/repack_overlay.h"
#include "packer/command/internal/repack_worth.h"
#include "packer/command/progress.h"
#include "packer/host/terminal.h"
#include "packer/repack/originals.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

// Adds up the sizes of the kept originals. If they can't be read, warns and returns nullopt.
std::optional<uint64_t> kept_bytes(const std::vector<RepackedArchive>& archives,
                                   const Output& answer) {
  std::set<std::string> homes;
  for (const RepackedArchive& archive : archives) homes.insert(archive.home);
  uint64_t bytes = 0;
  for (const std::string& home : homes) {
    const auto kept = kept_originals(home);
    if (!kept) answer.warn(kept.error().message + "; how large the originals are isn't known");
    if (!kept) return std::nullopt;
    bytes += kept->size_bytes;
  }
  return bytes;
}

Result<std::vector<RepackedArchive>> carry_out(const RepackArguments& arguments,
                                               const Content& content, const EntryOrder& order,
                                               const std::vector<RepackedArchive>& planned) {
  if (arguments.dry_run) return planned;
  RepackOptions options = arguments.repack;
  Progress progress("repacking", repack_bytes(planned, options));
  options.done_bytes = &progress.done_bytes();
  return arguments.in_place
             ? repack_in_place(content, arguments.roots, order, options)
             : repack_archives(content, arguments.roots, order, arguments.output, options);
}

auto count_repacked(const std::vector<RepackedArchive>& archives) {
  return std::ranges::count_if(archives, &RepackedArchive::is_repacked);
}

std::string of_originals(size_t archives) {
  return fmt::format(
      "The recordings were made before {} repacked: all are made from their originals again",
      archives == 1 ? "an archive was" : fmt::format("{} archives were", archives));
}

RepackOutcome outcome_of(const RepackArguments& arguments, const Content& content,
                         std::vector<RepackedArchive> archives) {
  RepackOutcome outcome = {.archives = std::move(archives),
                           .output = arguments.output,
                           .is_in_place = arguments.in_place,
                           .is_dry_run = arguments.dry_run,
                           .is_verified = arguments.repack.verify && !arguments.dry_run,
                           .loose_files = static_cast<uint64_t>(std::ranges::count(
                               content.sources, SourceKind::file, &Source::kind))};
  if (arguments.in_place) outcome.originals_bytes = kept_bytes(outcome.archives, arguments.answer);
  return outcome;
}

Result<void> run(RepackArguments arguments) {
  const auto start = std::chrono::steady_clock::now();
  SKL_TRY_DO(arguments.check());
  arguments.repack.in_place = arguments.in_place;
  SKL_TRY(const auto content, scan_as_recorded(arguments));
  std::vector<TraceMapping> mappings;
  KeptRuns runs(content);
  SKL_TRY(const auto profile, get_profile(arguments, content, mappings, runs));
  auto order = get_order(arguments, content, profile);
  if (!order) return std::unexpected(order.error());
  auto planned = plan_repack(content, arguments.roots, *order, arguments.repack);
  if (!planned) return std::unexpected(planned.error());
  SKL_TRY(const auto chosen, drive_for(arguments));
  const Storing first_storing = storing_of(arguments.repack.rewrite);
  auto forecast =
      get_forecast(arguments, content, {profile, runs}, chosen.profile, *order, *planned);
  if (!forecast) return std::unexpected(forecast.error());
  if (storing_of(arguments.repack.rewrite) != first_storing) {
    order = get_order(arguments, content, profile);
    if (!order) return std::unexpected(order.error());
    planned = plan_repack(content, arguments.roots, *order, arguments.repack);
    if (!planned) return std::unexpected(planned.error());
  }
  Verdict verdict = judge_forecast(chosen, *forecast);
  arguments.answer.line(verdict_lines(verdict, terminal_width()));
  if (const size_t originals = arguments.repack.read_from.size(); originals > 0)
    arguments.answer.line(of_originals(originals));
  if (arguments.in_place) SKL_TRY_DO(check_worth(arguments, *forecast));
  SKL_TRY(auto archives, carry_out(arguments, content, *order, *planned));
  if (*forecast && count_repacked(archives) != count_repacked(*planned)) {
    // Only reading an archive whole shows for certain that it can be rewritten. If some couldn't
    // be, the forecast is repeated for the rewritten ones.
    forecast =
        get_forecast(arguments, content, {profile, runs}, chosen.profile, *order, archives, true);
    if (!forecast) return std::unexpected(forecast.error());
    verdict = judge_forecast(chosen, *forecast);
    arguments.answer.line("Not every archive could be repacked. Of what was done: " +
                          verdict_lines(verdict, terminal_width()));
  }
  RepackOutcome outcome = outcome_of(arguments, content, std::move(archives));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return tell({.outcome = std::move(outcome), .verdict = verdict, .forecast = *forecast}, mappings,
              arguments);
}

}  // namespace

void add_repack(const Command& tool) {
  auto arguments = std::make_shared<RepackArguments>();
  const Command command = tool.add(
      "repack", "Rewrite a game's archives in load order, for engines that can't be changed");
  arguments->add_to(command);
  command.runs([arguments, command]() -> Result<void> {
    arguments->take_compression(command);
    arguments->command_line = [&command](const auto& without, const std::string& with) {
      return command.again(without, with.empty() ? std::vector<std::string>() : std::vector{with});
    };
    SKL_TRY_DO(arguments->overlay.check(command));
    return arguments->overlay.name.empty() ? run(*arguments) : run_overlay(*arguments);
  });
}

}  // namespace seekless
