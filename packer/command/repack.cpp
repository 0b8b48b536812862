// seekless repack: rewrites a game's archives under their own names, in the order recordings read.
// Result: {command, output, in_place, dry_run, verified, seconds, bytes_before, bytes_after,
// loose_files, archives: [{name, path, repacked, reason, faulty, bytes_before, bytes_after,
// entries, read_entries, unpacked_entries, packed_entries, aligned_entries}], forecast: of a run
// from traces {drive, read_ahead, scenarios: [{name, runs, held_out, before, after, each: [{trace,
// before_s, after_s}]}], gone, notes}, else null, originals_bytes, verdict: as in
// schemas/verdict.schema.json}
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "packer/command/drive_options.h"
#include "packer/command/inputs.h"
#include "packer/command/judging.h"
#include "packer/command/plan_options.h"
#include "packer/command/progress.h"
#include "packer/command/repack_forecast.h"
#include "packer/command/replaying.h"
#include "packer/command/trace_reader.h"
#include "packer/host/counted.h"
#include "packer/host/files.h"
#include "packer/host/terminal.h"
#include "packer/repack/archive_set.h"
#include "packer/repack/entry_order.h"
#include "packer/repack/originals.h"
#include "packer/repack/planned_places.h"
#include "packer/report/figures.h"
#include "packer/simulate/content_runs.h"
#include "packer/simulate/recorded_places.h"
#include "packer/trace/both_sinks.h"

namespace seekless {
namespace {

struct Arguments {
  TraceOptions traces;
  std::vector<std::string> roots;
  ScanOptions scan = repack_scan_options();
  std::string profile;
  std::string output;
  bool in_place = false;
  bool dry_run = false;
  std::string recorded_from;  // "originals", "current", or empty: to be found out
  DriveOptions drive;
  std::vector<std::string> weights;
  RepackOptions repack;
  bool keep_compression = false;
  bool no_verify = false;
  bool force = false;
  std::vector<std::string> store;
  std::vector<std::string> compress;
  Output answer;
};

Result<void> check(const Arguments& arguments) {
  if (arguments.profile.empty() == arguments.traces.paths.empty())
    return wrong_usage({.place = "repack",
                        .expected = "either traces (in front of --content) or --profile",
                        .found = arguments.profile.empty() ? "neither" : "both"});
  const bool is_told = arguments.in_place != !arguments.output.empty();
  if (is_told || (arguments.dry_run && !arguments.in_place)) return {};
  return wrong_usage({.place = "repack",
                      .expected = "either -o DIR or --in-place",
                      .found = arguments.in_place ? "both" : "neither"});
}

// Traces are read once; what they read is kept in `runs`.
Result<Profile> get_profile(const Arguments& arguments, const Content& content,
                            std::vector<TraceMapping>& mappings, KeptRuns& runs) {
  const ContentOptions options = {.roots = arguments.roots, .scan = arguments.scan};
  if (!arguments.profile.empty()) return read_profile_for(arguments.profile, options);
  auto profile =
      profile_traces(arguments.traces, options, content, arguments.answer, &mappings, &runs);
  if (profile) warn_of_past_ends(runs, content, arguments.answer);
  return profile;
}

Result<EntryOrderOptions> order_options(const Arguments& arguments) {
  auto drives = arguments.drive.profiles();
  if (!drives) return std::unexpected(drives.error());
  EntryOrderOptions options{.drive = drives->front()};
  options.keeps_compression = arguments.repack.rewrite.compression == Compression::keep;
  options.alignment = arguments.repack.rewrite.alignment;
  if (auto added = add_weights(arguments.weights, options.weights); !added)
    return std::unexpected(added.error());
  return options;
}

Result<EntryOrder> get_order(const Arguments& arguments, const Content& content,
                             const Profile& profile) {
  const auto options = order_options(arguments);
  if (!options) return std::unexpected(options.error());
  auto order = order_entries(profile, content, *options);
  // A dry run says so in its verdict.
  if (!arguments.dry_run && std::ranges::all_of(order.read_entries, &std::vector<uint32_t>::empty))
    return damaged({.file = arguments.profile.empty() ? "the traces" : arguments.profile,
                    .expected = "reads of entries of the archives",
                    .found = "none",
                    .advice = "give the content that was recorded"});
  return order;
}

// For who plays here what the content lies on, and for who ships archives the target.
Result<ChosenDrive> choose_drive(const Arguments& arguments) {
  const std::string named = arguments.drive.drives.empty() ? "" : arguments.drive.drives.front();
  if (arguments.output.empty() || !named.empty()) return drive_of_content(named, arguments.roots);
  const auto target = get_drive(kTargetDrive);
  if (!target) return std::unexpected(target.error());
  return judge_for(*target, false);
}

Result<RepackForecast> forecast_with(const Arguments& arguments, const Content& content,
                                     const Recorded& recorded, const ChosenDrive& chosen,
                                     const std::vector<RepackedArchive>& archives) {
  const auto options = order_options(arguments);
  if (!options) return std::unexpected(options.error());
  const MakePlaces make_places = [&](const Profile& part) -> Result<MovedContent> {
    EntryOrder order = order_entries(part, content, *options);
    for (const RepackedArchive& archive : archives)
      if (!archive.is_repacked) order.read_entries[archive.source].clear();
    return planned_places(content, order, arguments.repack.rewrite);
  };
  return forecast_repack(recorded, content, chosen, arguments.drive, make_places);
}

bool has_deflated(const Content& content) {
  return std::ranges::any_of(content.assets, [](const Asset& asset) {
    return asset.place.entry != kWholeSource && asset.place.method == zip_method::kDeflated;
  });
}

double seconds_after(const RepackForecast& forecast) {
  double seconds = 0;
  for (const ForecastScenario& of : forecast.scenarios) seconds += of.after.cost.seconds;
  return seconds;
}

// What repacking brings. Needs the reads themselves, which a profile doesn't have, and the archives
// as they were recorded.
Result<std::optional<RepackForecast>> get_forecast(const Arguments& arguments,
                                                   const Content& content, const Recorded& recorded,
                                                   const ChosenDrive& chosen,
                                                   const std::vector<RepackedArchive>& archives) {
  if (arguments.traces.paths.empty()) return std::nullopt;
  auto forecast = forecast_with(arguments, content, recorded, chosen, archives);
  if (!forecast) return std::unexpected(forecast.error());
  if (arguments.repack.rewrite.compression == Compression::keep || !has_deflated(content))
    return *std::move(forecast);
  Arguments keeping = arguments;
  keeping.repack.rewrite.compression = Compression::keep;
  const auto kept = forecast_with(keeping, content, recorded, chosen, archives);
  if (!kept) return std::unexpected(kept.error());
  if (seconds_after(*kept) * kLeastGain < seconds_after(*forecast)) {
    const auto [other, this_one] = seconds_texts(seconds_after(*kept), seconds_after(*forecast));
    forecast->notes.push_back(fmt::format(
        "With --keep-compression, all loads together would keep the disk busy for {} instead of "
        "{}; the engine would have to inflate as before.",
        other, this_one));
  }
  return *std::move(forecast);
}

std::string line_of(const RepackedArchive& archive, const std::string& cell, bool dry_run) {
  const std::string name = fmt::format("  {} {:>8.1f} MB", cell, megabytes(archive.old_bytes));
  if (!archive.is_repacked)
    return fmt::format("{}  {}: {}", name, dry_run ? "to stay" : "untouched", archive.reason);
  return fmt::format("{} -> {}{:.1f} MB, {} of {} in load order", name, dry_run ? "at most " : "",
                     megabytes(archive.new_bytes), archive.read_entries,
                     counted(archive.entries, "entry", "entries"));
}

uint64_t loose_files(const Content& content) {
  return static_cast<uint64_t>(
      std::ranges::count(content.sources, SourceKind::file, &Source::kind));
}

// What players would have to download who have the archives.
std::string changed_bytes(const std::vector<RepackedArchive>& archives) {
  uint64_t all = 0;
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
  for (const RepackedArchive& archive : archives) {
    all += archive.old_bytes;
    if (!archive.is_repacked) continue;
    old_bytes += archive.old_bytes;
    new_bytes += archive.new_bytes;
  }
  return fmt::format("{:.1f} of {:.1f} MB would be written anew, as {:.1f} MB at most",
                     megabytes(old_bytes), megabytes(all), megabytes(new_bytes));
}

uint64_t kept_bytes(const std::vector<RepackedArchive>& archives) {
  std::set<std::string> homes;
  for (const RepackedArchive& archive : archives) homes.insert(archive.home);
  uint64_t bytes = 0;
  for (const std::string& home : homes)
    if (const auto kept = kept_originals(home)) bytes += kept->size_bytes;
  return bytes;
}

void tell_of_originals(const std::vector<RepackedArchive>& archives, const Output& answer) {
  const std::string& home = archives.front().home;
  answer.line(fmt::format(
      "The originals are kept, and take {:.1f} MB. 'seekless restore {}' brings them back;\n"
      "'seekless restore --discard {}' drops them, once the game runs well",
      megabytes(kept_bytes(archives)), home, home));
}

void print(const Arguments& arguments, const Content& content,
           const std::vector<RepackedArchive>& archives, double seconds) {
  const Output& answer = arguments.answer;
  constexpr size_t kLongestName = 28;
  std::vector<std::string> names;
  for (const RepackedArchive& archive : archives) names.push_back(clean_line(archive.name));
  names = name_cells(names, kLongestName);
  for (size_t i = 0; i < archives.size(); ++i) {
    const RepackedArchive& archive = archives[i];
    answer.line(line_of(archive, names[i], arguments.dry_run));
    if (archive.is_faulty)
      answer.warn(fmt::format("{}: left as it is: {}", archive.name, archive.reason));
  }
  const auto repacked = std::ranges::count_if(archives, &RepackedArchive::is_repacked);
  const uint64_t loose = loose_files(content);
  if (loose > 0 && !arguments.in_place && !arguments.dry_run)
    answer.line(fmt::format("{} {} copied: only archives are", counted(loose, "loose file"),
                            loose == 1 ? "isn't" : "aren't"));
  answer.line(fmt::format("{}: {} of {} {}{}{}",
                          arguments.dry_run    ? "dry run"
                          : arguments.in_place ? "in place"
                                               : arguments.output,
                          repacked, counted(archives.size(), "archive"),
                          arguments.dry_run ? "would be repacked" : "repacked",
                          arguments.dry_run ? "" : fmt::format(" in {:.1f} s", seconds),
                          arguments.dry_run         ? ""
                          : arguments.repack.verify ? ", and compared with the old ones"
                                                    : ", not verified"));
  if (arguments.dry_run && repacked > 0) answer.line(changed_bytes(archives));
  if (arguments.in_place && repacked > 0 && !arguments.dry_run) tell_of_originals(archives, answer);
}

Json to_json(const Arguments& arguments, const Content& content,
             const std::vector<RepackedArchive>& archives, double seconds) {
  uint64_t before = 0;
  uint64_t after = 0;
  Json list = Json::array();
  for (const RepackedArchive& archive : archives) {
    before += archive.old_bytes;
    after += archive.new_bytes;
    list.push_back({{"name", archive.name},
                    {"path", archive.path},
                    {"repacked", archive.is_repacked},
                    {"reason", archive.is_repacked ? Json() : Json(archive.reason)},
                    {"faulty", archive.is_faulty},
                    {"bytes_before", archive.old_bytes},
                    {"bytes_after", archive.new_bytes},
                    {"entries", archive.entries},
                    {"read_entries", archive.read_entries},
                    {"unpacked_entries", archive.unpacked_entries},
                    {"packed_entries", archive.packed_entries},
                    {"aligned_entries", archive.aligned_entries}});
  }
  return {{"command", "repack"},
          {"output", arguments.output.empty() ? Json() : Json(arguments.output)},
          {"in_place", arguments.in_place},
          {"dry_run", arguments.dry_run},
          {"verified", arguments.repack.verify && !arguments.dry_run},
          {"seconds", seconds},
          {"bytes_before", before},
          {"bytes_after", after},
          {"loose_files", loose_files(content)},
          {"originals_bytes", arguments.in_place ? Json(kept_bytes(archives)) : Json()},
          {"archives", std::move(list)}};
}

Result<std::vector<RepackedArchive>> carry_out(const Arguments& arguments, const Content& content,
                                               const EntryOrder& order,
                                               const std::vector<RepackedArchive>& planned) {
  if (arguments.dry_run) return planned;
  RepackOptions options = arguments.repack;
  Progress progress("repacking", repack_bytes(planned, options));
  options.done_bytes = &progress.done_bytes();
  return arguments.in_place
             ? repack_in_place(content, arguments.roots, order, options)
             : repack_archives(content, arguments.roots, order, arguments.output, options);
}

// What a player would be sorry for.
Result<void> check_worth(const Arguments& arguments,
                         const std::optional<RepackForecast>& forecast) {
  if (!arguments.in_place || arguments.dry_run || arguments.force || !forecast) return {};
  const auto refuse = [&](std::string expected, std::string found, std::string advice) {
    return failed({.file = arguments.roots.front(),
                   .expected = std::move(expected),
                   .found = std::move(found),
                   .advice = advice + "; --force does it all the same. Nothing was changed"});
  };
  const std::string record_again = "record again what the game reads now";
  if (!forecast->past_end.empty())
    return refuse("recordings of the archives as they are",
                  fmt::format("reads past the end of {}", forecast->past_end.front()),
                  record_again);
  if (!forecast->gone.empty())
    return refuse(
        "recordings of the archives as they are",
        fmt::format("{} that recordings read and that the archives don't have, such as "
                    "'{}'",
                    counted(forecast->gone.size(), "entry", "entries"), forecast->gone.front()),
        record_again);
  double before_s = 0;
  double after_s = 0;
  for (const ForecastScenario& of : forecast->scenarios) {
    before_s += of.before.cost.seconds;
    after_s += of.after.cost.seconds;
  }
  if (after_s <= before_s * kLeastGain) return {};
  const auto [after, before] = seconds_texts(after_s, before_s);
  return refuse("archives that are read no slower than before",
                fmt::format("{} instead of {}, predicted for {}", after, before, forecast->drive),
                "leave them as they are, or try --keep-compression with --dry-run");
}

// Of archives alone: what is wrong with other files is none of its business.
void warn_of_content(const Content& content, const Output& answer) {
  if (content.unaddressable.count > 0)
    answer.warn(
        fmt::format("{} entries or archives stay as they are, as no path leads to them, "
                    "such as {}",
                    content.unaddressable.count, content.unaddressable.first));
}

// One trace, against the archives as they are and as they were.
Result<RecordedFrom> recorded_from(const std::string& trace, TraceReader& reader,
                                   const std::array<const Content*, 2>& states,
                                   const std::array<Locator, 2>& locators,
                                   const std::vector<bool>& is_replaced) {
  std::array<PlaceFitter, 2> fitters = {PlaceFitter(*states[0], locators[0], is_replaced),
                                        PlaceFitter(*states[1], locators[1], is_replaced)};
  BothSinks both(fitters[0], &fitters[1]);
  const auto report = reader.read(trace, both);
  if (!report) return std::unexpected(report.error());
  return judge_places(fitters[0].fit(), fitters[1].fit());
}

std::unexpected<Error> not_to_be_told(const std::string& trace, std::string found) {
  return failed({.file = trace,
                 .expected = "recordings all from before the archives were repacked in place, or "
                             "all from after it",
                 .found = std::move(found),
                 .advice = "give one kind alone, and say which with --recorded originals or "
                           "--recorded current; or 'seekless restore' first"});
}

// Whether the traces name places in the originals that `before` has.
Result<bool> are_of_originals(const Arguments& arguments, const Content& now, const Content& before,
                              const std::map<std::string, std::string>& originals) {
  auto reader = TraceReader::create(arguments.traces, nullptr);
  if (!reader) return std::unexpected(reader.error());
  std::vector<bool> is_replaced;
  for (const Source& source : now.sources)
    is_replaced.push_back(source.kind == SourceKind::zip &&
                          originals.contains(canonical_path(source.path)));
  const std::array<Locator, 2> locators = {Locator(before), Locator(now)};
  const auto progress = Progress::of_reading("reading recordings", arguments.traces.paths);
  RecordedFrom all = RecordedFrom::neither;
  for (const std::string& trace : arguments.traces.paths) {
    const auto from = recorded_from(trace, *reader, {&before, &now}, locators, is_replaced);
    if (!from) return std::unexpected(from.error());
    if (*from == RecordedFrom::unknown)
      return not_to_be_told(trace, "reads that fit neither or both");
    if (*from == RecordedFrom::neither) continue;
    if (all != RecordedFrom::neither && all != *from)
      return not_to_be_told(trace, "one of the other kind than those before it");
    all = *from;
  }
  return all == RecordedFrom::first;
}

// Recordings name places. Those made before archives were repacked in place name places in the
// originals, and the archives are made from these again.
Result<Content> scan_as_recorded(Arguments& arguments) {
  auto now = scan_content(arguments.roots, arguments.scan);
  if (!now || arguments.traces.paths.empty() || arguments.recorded_from == "current") return now;
  const auto originals = kept_originals(*now, arguments.roots);
  if (!originals) return std::unexpected(originals.error());
  if (originals->empty()) return now;
  ScanOptions options = arguments.scan;
  options.read_from = *originals;
  auto before = scan_content(arguments.roots, options);
  if (!before) return before;
  if (before->sources.size() != now->sources.size()) return now;  // changed meanwhile
  if (arguments.recorded_from.empty()) {
    const auto are_old = are_of_originals(arguments, *now, *before, *originals);
    if (!are_old) return std::unexpected(are_old.error());
    if (!*are_old) return now;
  }
  arguments.repack.read_from = *originals;
  return before;
}

Result<void> run(Arguments arguments) {
  const auto start = std::chrono::steady_clock::now();
  if (auto checked = check(arguments); !checked) return checked;
  const auto content = scan_as_recorded(arguments);
  if (!content) return std::unexpected(content.error());
  warn_of_content(*content, arguments.answer);
  std::vector<TraceMapping> mappings;
  KeptRuns runs(*content);
  const auto profile = get_profile(arguments, *content, mappings, runs);
  if (!profile) return std::unexpected(profile.error());
  const auto order = get_order(arguments, *content, *profile);
  if (!order) return std::unexpected(order.error());
  const auto planned = plan_repack(*content, arguments.roots, *order, arguments.repack);
  if (!planned) return std::unexpected(planned.error());
  const auto chosen = choose_drive(arguments);
  if (!chosen) return std::unexpected(chosen.error());
  const auto forecast = get_forecast(arguments, *content, {*profile, runs}, *chosen, *planned);
  if (!forecast) return std::unexpected(forecast.error());
  const Verdict verdict =
      *forecast ? (*forecast)->verdict : judge(chosen->judged, Way::zips, {}, Lacking::recordings);
  arguments.answer.line(verdict_lines(verdict, terminal_width()));
  if (const size_t originals = arguments.repack.read_from.size(); originals > 0)
    arguments.answer.line(fmt::format(
        "The recordings are from before {} repacked: all are made from their originals again",
        originals == 1 ? "an archive was" : fmt::format("{} archives were", originals)));
  if (auto checked = check_worth(arguments, *forecast); !checked) return checked;
  const auto archives = carry_out(arguments, *content, *order, *planned);
  if (!archives) return std::unexpected(archives.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  print(arguments, *content, *archives, seconds);
  Json json = to_json(arguments, *content, *archives, seconds);
  json["verdict"] = to_json(verdict);
  json["forecast"] = *forecast ? to_json(**forecast) : Json();
  if (*forecast) arguments.answer.line("\n" + to_text(**forecast, terminal_width()));
  tell_unmapped(mappings, arguments.answer);
  return arguments.answer.result(json);
}

// The rules in the order of the command line, in which the last that matches counts.
void take_compression(Arguments& arguments, const CLI::App& command) {
  size_t stored = 0;
  size_t deflated = 0;
  for (const CLI::Option* option : command.parse_order()) {
    if (option == command.get_option("--store") && stored < arguments.store.size())
      arguments.repack.rewrite.rules.push_back({arguments.store[stored++], Compression::store});
    if (option == command.get_option("--compress") && deflated < arguments.compress.size())
      arguments.repack.rewrite.rules.push_back(
          {arguments.compress[deflated++], Compression::deflate});
  }
  if (arguments.keep_compression) arguments.repack.rewrite.compression = Compression::keep;
  arguments.repack.rewrite.alignment.is_for_all = command.get_option("--align")->count() > 0;
  arguments.repack.verify = !arguments.no_verify;
  arguments.repack.exclude = arguments.scan.exclude;
}

std::string check_alignment(const std::string& text) {
  uint32_t bytes = 0;
  const bool is_number = CLI::detail::lexical_cast(text, bytes);
  if (is_number && std::has_single_bit(bytes) && bytes <= kMaxZipAlignmentBytes) return "";
  return fmt::format("expected a power of two up to {}, found '{}'", kMaxZipAlignmentBytes, text);
}

void add_output_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option(
          "-o,--output", arguments.output,
          "A folder: new, empty, or with an earlier output, which is replaced. All archives "
          "appear there, those that stay as they are included; loose files don't")
      ->type_name("DIR");
  command.add_flag("--in-place", arguments.in_place,
                   "Replace the archives where they lie, and keep the originals beside them; "
                   "'seekless restore' brings them back");
  command
      .add_option("--recorded", arguments.recorded_from,
                  "Where archives were repacked in place before: what the recordings were made "
                  "from. By default that is found out from the places they name")
      ->check(CLI::IsMember({"originals", "current"}));
  command.add_flag("--dry-run", arguments.dry_run,
                   "Say what would be done, and what loads would gain, and do nothing");
  command.add_flag("--force", arguments.force,
                   "In place, even if loads are predicted to get slower, or recordings don't fit "
                   "the archives as they are");
  command.add_flag("--no-verify", arguments.no_verify,
                   "Don't read the new archives back. By default every entry is compared with that "
                   "of the old archive through an independent reader, libzip");
}

void add_rewrite_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--align", arguments.repack.rewrite.alignment.bytes,
                  "The data of every stored entry begin at a multiple of this, as zipalign has "
                  "them; 1 aligns none. By default those do that recordings read and that have "
                  "4096 bytes or more, at a multiple of 4096; shorter ones lie close together")
      ->type_name("BYTES")
      ->check(check_alignment);
  command.add_flag("--keep-compression", arguments.keep_compression,
                   "Leave deflated entries deflated. By default those that recordings read are "
                   "stored, and the others stay as they are");
  command
      .add_option("--store", arguments.store,
                  "Store entries whose names match; repeatable, the last of --store and "
                  "--compress that matches counts")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_option("--compress", arguments.compress, "Deflate entries whose names match")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_flag("--sort-directory", arguments.repack.rewrite.sort_directory,
                   "List entries in the order of their data, instead of that of the old archive");
}

}  // namespace

void add_repack(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "repack", "Rewrite a game's zip archives in load order, for engines that can't change");
  arguments->traces.add_to(*command, "TRACE");
  command->get_option("TRACE")->required(false);
  command
      ->add_option("--content", arguments->roots,
                   "Folders with zip archives, or single ones, up to the next option")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--exclude", arguments->scan.exclude,
                   "Leave archives out, or take entries as if no recording read them; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command->add_option("--opaque", arguments->scan.opaque, "Take archives that match as plain files")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command->add_option("--profile", arguments->profile, "A profile made earlier, instead of traces")
      ->type_name("PROFILE.json");
  add_output_options(*command, *arguments);
  arguments->drive.add_to(*command, false, "what the content lies on; with -o wd-black-1tb");
  command
      ->add_option("--weight", arguments->weights,
                   "How much a scenario's seconds count, 1 by default; repeatable")
      ->type_name("SCENARIO=WEIGHT")
      ->allow_extra_args(false);
  add_rewrite_options(*command, *arguments);
  arguments->answer.add_verbose(*command);
  arguments->answer.add_option(*command);
  command->footer(
      "An archive that no recording reads stays as it is, as does one of which not\n"
      "every byte is understood. The same input gives the same bytes.\n"
      "Example:\n"
      "  seekless repack traces/*.lz4 --content ~/game/baseoa --in-place");
  command->callback([arguments, command, &chosen] {
    take_compression(*arguments, *command);
    chosen = [arguments] { return run(*arguments); };
  });
}

}  // namespace seekless
