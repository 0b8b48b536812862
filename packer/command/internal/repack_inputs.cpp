#include "packer/command/internal/repack_inputs.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/command/internal/next_step.h"
#include "packer/command/internal/replaying.h"
#include "packer/command/progress.h"
#include "packer/host/terminal.h"
#include "packer/plan/plan_texts.h"
#include "packer/profile/trace_reader.h"
#include "packer/repack/originals.h"
#include "packer/repack/recorded_archives.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

// Planned archive sizes don't include an overlay's directory and some bytes of each entry.
constexpr uint64_t kTablesPartOf = 16;
constexpr uint64_t kLeastTableBytes = uint64_t{1} << 20;

// Warns only about archives, because problems with other files don't matter to repacking.
void warn_of_content(const Content& content, const Output& answer) {
  if (content.unaddressable.count > 0)
    answer.warn(fmt::format(
        "{} entries or archives stay as they are, because their names can't be paths, such as {}",
        content.unaddressable.count, content.unaddressable.first));
  if (content.other_archives.count > 0)
    answer.warn(fmt::format("{}, of kinds that 'repack' can't rewrite, such as {}",
                            counted(content.other_archives.count, "archive stays as it is",
                                    "archives stay as they are"),
                            content.other_archives.first));
  if (content.not_taken.count > 0)
    answer.warn(fmt::format(
        "{}, such as {}",
        counted(content.not_taken.count, "archive stays as it is", "archives stay as they are"),
        content.not_taken.first));
}

std::string what_else(const Content& content) {
  if (content.sources.empty()) return "none";
  if (content.other_archives.count == 0) return "loose files alone";
  return fmt::format("loose files alone, and {} of other kinds, such as {}",
                     counted(content.other_archives.count, "archive"),
                     content.other_archives.first);
}

Result<Content> scan_archives(RepackArguments& arguments) {
  auto now = scan_content(arguments.roots, arguments.scan);
  if (!now || arguments.traces.paths.empty() || arguments.recorded_from == "current") return now;
  SKL_TRY(const auto originals, kept_originals(*now, arguments.roots));
  if (originals.empty()) return now;
  ScanOptions options = arguments.scan;
  options.read_from = originals;
  auto before = scan_content(arguments.roots, options);
  if (!before) return before;
  if (before->sources.size() != now->sources.size())
    return now;  // archives were added or removed meanwhile
  if (arguments.recorded_from.empty()) {
    SKL_TRY(auto reader, reader_of(arguments.traces, nullptr));
    const auto progress = Progress::of_reading("reading recordings", arguments.traces.paths);
    SKL_TRY(const auto are_old, are_of_originals(reader, *now, *before, originals));
    if (!are_old) return now;
  }
  arguments.repack.read_from = originals;
  return before;
}

std::string folder_of_content(const std::string& root) {
  const std::string path = canonical_path(root);
  return kind_of_path(path) == PathKind::folder ? path : std::string(folder_above(path));
}

}  // namespace

Result<Content> scan_as_recorded(RepackArguments& arguments) {
  auto content = scan_archives(arguments);
  if (!content) return content;
  const auto files = std::ranges::count(content->sources, SourceKind::file, &Source::kind);
  // A dry run says this in its verdict.
  if (!arguments.dry_run && static_cast<size_t>(files) == content->sources.size())
    return failed({.file = arguments.roots.front(),
                   .expected = "archives",
                   .found = what_else(*content),
                   .advice =
                       "'plan' and 'pack' make packs of them, and 'warm' and 'play' read them "
                       "ahead of the game"});
  warn_of_content(*content, arguments.answer);
  return content;
}

Result<Profile> get_profile(const RepackArguments& arguments, const Content& content,
                            std::vector<TraceMapping>& mappings, KeptRuns& runs) {
  const ContentOptions options = {.roots = arguments.roots, .scan = arguments.scan};
  if (!arguments.profile.empty()) return read_profile_for(arguments.profile, options);
  auto profile =
      profile_traces(arguments.traces, options, content, arguments.answer, &mappings, &runs);
  if (profile) warn_of_past_ends(runs, content, arguments.answer);
  return profile;
}

Result<EntryOrderOptions> order_options(const RepackArguments& arguments) {
  SKL_TRY(auto drives, arguments.drive.profiles());
  EntryOrderOptions options{.drive = drives.front()};
  options.storing = storing_of(arguments.repack.rewrite);
  options.alignment = arguments.repack.rewrite.alignment;
  SKL_TRY(auto weights, parse_weights(arguments.weights));
  options.weights = std::move(weights);
  return options;
}

Result<EntryOrder> get_order(const RepackArguments& arguments, const Content& content,
                             const Profile& profile) {
  SKL_TRY(const auto options, order_options(arguments));
  auto order = order_entries(profile, content, options);
  // A dry run says this in its verdict.
  if (!arguments.dry_run && std::ranges::all_of(order.read_entries, &std::vector<uint32_t>::empty))
    return damaged({.file = arguments.profile.empty() ? "the traces" : arguments.profile,
                    .expected = "reads of entries of the archives",
                    .found = "none",
                    .advice = "give the content that was recorded; a profile has to be made with "
                              "--keep-archives"});
  return order;
}

Result<ChosenDrive> drive_for(const RepackArguments& arguments) {
  const std::string named = arguments.drive.drive;
  if (arguments.output.empty() || !named.empty()) return drive_of_content(named, arguments.roots);
  SKL_TRY(const auto target, get_drive(kTargetDrive));
  return judge_for(target, false);
}

Result<ForecastDrive> forecast_drive(const RepackArguments& arguments, const DriveProfile& drive,
                                     const Content& content, const KeptRuns& runs,
                                     uint64_t new_bytes) {
  SKL_TRY(auto places, arguments.drive.place_rules());
  SKL_TRY(const auto simulation, arguments.drive.simulation());
  ForecastDrive on = {drive, std::move(places), simulation};
  on.replays_alone = arguments.answer.wants_json() || arguments.answer.is_verbose();
  const bool is_of_this_disk =
      arguments.output.empty() && arguments.drive.drive.empty() && on.places.empty();
  if (!is_of_this_disk || !arguments.repack.read_from.empty()) return on;
  SKL_TRY(auto lying, where_files_lie(content, sources_read(runs), drive));
  if (!lying.are_real) return on;
  on.lying = std::move(lying);
  if (!arguments.finds_room) return on;
  const uint64_t room_bytes = new_bytes + new_bytes / kTablesPartOf + kLeastTableBytes;
  if (auto room = find_free_room(folder_of_content(arguments.roots.front()), room_bytes))
    on.room = *std::move(room);
  return on;
}

Verdict judge_forecast(const ChosenDrive& drive, const std::optional<RepackForecast>& forecast) {
  if (!forecast) return judge(drive.judged, Way::zips, {}, Lacking::recordings);
  return judge(drive.judged, Way::zips, forecast->loads, forecast->lacking, forecast->fit);
}

Result<std::optional<RepackForecast>> get_forecast(RepackArguments& arguments,
                                                   const Content& content, const Recorded& recorded,
                                                   const DriveProfile& drive,
                                                   const EntryOrder& order,
                                                   const std::vector<RepackedArchive>& archives,
                                                   bool is_done) {
  if (recorded.runs.size() == 0) return std::nullopt;
  SKL_TRY(const auto options, order_options(arguments));
  uint64_t new_bytes = 0;
  for (const RepackedArchive& archive : archives)
    if (archive.is_repacked) new_bytes += archive.new_bytes;
  SKL_TRY(const auto on, forecast_drive(arguments, drive, content, recorded.runs, new_bytes));
  const auto forecast_with = [&](const Storing& storing) {
    RepackPlan plan = {options, arguments.repack.rewrite, archives};
    if (storing == options.storing) plan.order_of_all = &order;
    plan.order.storing = plan.rewrite.storing = storing;
    return forecast_repack(recorded, content, on, plan);
  };
  if (is_done) return forecast_with(storing_of(arguments.repack.rewrite));
  return choose_storing(arguments, recorded.profile, content, forecast_with);
}

Result<RepackForecast> choose_storing(RepackArguments& arguments, const Profile& profile,
                                      const Content& content, const ForecastWith& forecast_with) {
  if (!arguments.chooses_storing()) return forecast_with(storing_of(arguments.repack.rewrite));
  SKL_TRY(const auto options, order_options(arguments));
  auto best = best_storing(profile, content, options.weights, forecast_with);
  if (best && !best->tried.empty()) arguments.repack.rewrite.storing = best->tried.front().storing;
  return best;
}

// Returns the command without --dry-run; if repacking isn't worth it, 'advise', which knows other
// ways.
std::vector<std::string> next_of(const RepackAnswer& answer, const RepackArguments& arguments) {
  if (!arguments.dry_run) return {};
  if (answer.verdict.judgement == Judgement::not_worth_it) {
    CommandWords words = {"advise", arguments.roots.front()};
    add_traces(words, arguments.traces);
    return words;
  }
  const bool says_where =
      !arguments.output.empty() || arguments.in_place || !arguments.overlay.name.empty();
  return arguments.command_line({"-n", "--dry-run"}, says_where ? "" : "--in-place");
}

Result<void> tell(const RepackAnswer& answer, const std::vector<TraceMapping>& mappings,
                  const RepackArguments& arguments) {
  const Output& output = arguments.answer;
  for (const std::string& warning : warnings_of(answer)) output.warn(warning);
  output.line(to_text(answer, terminal_width(), output.is_verbose()));
  tell_unmapped(mappings, output);
  output.next(next_of(answer, arguments));
  return output.result(to_json(answer));
}

}  // namespace seekless
