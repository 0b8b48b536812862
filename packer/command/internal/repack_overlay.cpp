#include "packer/command/internal/repack_overlay.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/answer/repack_answer.h"
#include "packer/command/internal/repack_inputs.h"
#include "packer/command/internal/repack_worth.h"
#include "packer/command/progress.h"
#include "packer/host/terminal.h"
#include "packer/repack/overlay.h"
#include "packer/repack/overlay_zip.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

std::vector<RepackedArchive> take_faulty(std::vector<RepackedArchive>& archives) {
  const auto sound =
      std::ranges::stable_partition(archives, std::logical_not(), &RepackedArchive::is_faulty);
  std::vector<RepackedArchive> faulty(sound.begin(), sound.end());
  archives.erase(sound.begin(), sound.end());
  return faulty;
}

// Describes the archives as unchanged, with the number of entries copied from each.
std::vector<RepackedArchive> untouched(std::vector<RepackedArchive> archives,
                                       const OverlaySite& site,
                                       const std::vector<OverlayEntry>& entries) {
  for (RepackedArchive& archive : archives) archive.read_entries = 0;
  for (const OverlayEntry& entry : entries) ++archives[entry.archive].read_entries;
  for (size_t i = 0; i < archives.size(); ++i)
    archives[i].reason = site.archives[i].is_overlay
                             ? "an earlier overlay"
                             : fmt::format("{} copied into the overlay",
                                           counted(archives[i].read_entries, "entry", "entries"));
  return archives;
}

uint64_t copied_bytes(const OverlaySite& site, const std::vector<OverlayEntry>& entries) {
  uint64_t bytes = 0;
  for (const OverlayEntry& of : entries)
    bytes += site.opened[of.archive].directory.entry(of.entry).stored_bytes;
  return bytes;
}

Result<OverlayOutcome> carry_out(const RepackArguments& arguments, const OverlaySite& site,
                                 PlannedOverlay planned) {
  OverlayOutcome outcome = {.path = site.path(),
                            .entries = planned.entries.size(),
                            .replaces = kind_of_path(site.path()) != PathKind::missing,
                            .left_out = std::move(planned.left_out)};
  outcome.copied_bytes = copied_bytes(site, planned.entries);
  if (arguments.dry_run) return outcome;
  const RepackOptions& options = arguments.repack;
  Progress progress("writing the overlay", overlay_bytes(site, planned.entries, options.verify));
  SKL_TRY(const auto report, write_overlay(site, planned.entries, options.rewrite, options.verify,
                                           &progress.done_bytes()));
  outcome.report = report;
  return outcome;
}

Result<std::optional<RepackForecast>> forecast_of(RepackArguments& arguments,
                                                  const Content& content, const Recorded& recorded,
                                                  const DriveProfile& drive,
                                                  const OverlaySite& site,
                                                  const PlannedOverlay& planned) {
  if (arguments.traces.paths.empty()) return std::nullopt;
  SKL_TRY(const auto on, forecast_drive(arguments, drive, content, recorded.runs,
                                        copied_bytes(site, planned.entries)));
  SKL_TRY(const auto options, order_options(arguments));
  return choose_storing(arguments, planned.profile, content, [&](const Storing& storing) {
    EntryOrderOptions order = options;
    RewriteOptions rewrite = arguments.repack.rewrite;
    order.storing = rewrite.storing = storing;
    return forecast_overlay(recorded, content, on, site, order, rewrite);
  });
}

Result<PlannedOverlay> plan_of(const RepackArguments& arguments, const Profile& profile,
                               const Content& content, const OverlaySite& site) {
  SKL_TRY(const auto options, order_options(arguments));
  return plan_overlay(profile, content, site, options);
}

Result<void> check_has_entries(const PlannedOverlay& planned, const RepackArguments& arguments) {
  if (!planned.entries.empty() || arguments.dry_run) return {};
  return failed({.file = arguments.profile.empty() ? "the traces" : arguments.profile,
                 .expected = "reads of entries that an overlay can hold",
                 .found = planned.left_out.empty()
                              ? "none"
                              : "only such as " + planned.left_out.begin()->second.first + ": " +
                                    planned.left_out.begin()->first,
                 .advice = "give the content that was recorded"});
}

}  // namespace

Result<void> run_overlay(RepackArguments arguments) {
  const auto start = std::chrono::steady_clock::now();
  SKL_TRY_DO(arguments.check());
  // An unaligned overlay is shorter. Its directory tells exactly where each entry's data lie, which
  // helps to record the game with it.
  DataAlignment& alignment = arguments.repack.rewrite.alignment;
  if (!alignment.is_for_all) alignment.bytes = 1;
  arguments.scan.flat_archives = false;  // an overlay is a zip archive over other zip archives
  SKL_TRY(const auto content, scan_as_recorded(arguments));
  EntryOrder none;
  none.read_entries.resize(content.sources.size());
  SKL_TRY(auto archives, plan_repack(content, arguments.roots, none, arguments.repack));
  // An overlay can't replace entries of archives that can't be read; the answer says so.
  const std::vector<RepackedArchive> faulty = take_faulty(archives);
  SKL_TRY(const auto site, find_overlay_site(archives, {.name = arguments.overlay.name,
                                                        .folder = arguments.output,
                                                        .winning = arguments.overlay.winning()}));
  std::vector<TraceMapping> mappings;
  KeptRuns runs(content);
  SKL_TRY(const auto profile, get_profile(arguments, content, mappings, runs));
  auto planned = plan_of(arguments, profile, content, site);
  if (!planned) return std::unexpected(planned.error());
  SKL_TRY_DO(check_has_entries(*planned, arguments));
  SKL_TRY(const auto chosen, drive_for(arguments));
  const Storing first_storing = storing_of(arguments.repack.rewrite);
  SKL_TRY(const auto forecast,
          forecast_of(arguments, content, {profile, runs}, chosen.profile, site, *planned));
  if (storing_of(arguments.repack.rewrite) != first_storing)
    planned = plan_of(arguments, profile, content, site);
  if (!planned) return std::unexpected(planned.error());
  const Verdict verdict = judge_forecast(chosen, forecast);
  arguments.answer.line(verdict_lines(verdict, terminal_width()));
  if (arguments.output.empty()) SKL_TRY_DO(check_worth(arguments, forecast));
  RepackOutcome outcome = {.archives = untouched(archives, site, planned->entries),
                           .output = site.folder,
                           .is_dry_run = arguments.dry_run,
                           .is_verified = arguments.repack.verify && !arguments.dry_run};
  outcome.archives.insert(outcome.archives.end(), faulty.begin(), faulty.end());
  SKL_TRY(auto overlay, carry_out(arguments, site, *std::move(planned)));
  outcome.overlay = std::move(overlay);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return tell({.outcome = std::move(outcome), .verdict = verdict, .forecast = forecast}, mappings,
              arguments);
}

}  // namespace seekless
