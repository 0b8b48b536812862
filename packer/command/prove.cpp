// seekless prove: measures on the user's own disk how much faster packs load, and shows the drive
// model's prediction beside it.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/prove_answer.h"
#include "packer/command/internal/completion_words.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/inputs.h"
#include "packer/command/internal/prove_made.h"
#include "packer/command/internal/replaying.h"
#include "packer/command/progress.h"
#include "packer/drive/drive_figures.h"
#include "packer/host/block_device.h"
#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/host/pending_file.h"
#include "packer/host/terminal.h"
#include "packer/host/whole_files.h"
#include "packer/page/prove_page.h"
#include "packer/prove/drive_of_disk.h"
#include "packer/prove/prediction.h"
#include "packer/prove/rounds.h"
#include "packer/prove/work_folder.h"
#include "packer/repack/archive_set.h"
#include "packer/simulate/moved_reads.h"
#include "packer/simulate/pack_load.h"
#include "packer/simulate/replay.h"
#include "packer/words/shell_words.h"

namespace seekless {
namespace {

using Clock = std::chrono::steady_clock;

struct ProveArguments {
  TraceOptions traces;
  ContentOptions content;
  std::string way = "packs";
  std::string packs;
  std::string work;
  std::string drive;
  uint32_t rounds = 3;
  double minutes = 10;
  std::optional<double> calibrate_seconds;
  bool force = false;
  bool tell_drive = false;
  bool tell_names = false;
  std::string html;
  std::string upload;
  Output answer;
};

constexpr double kUsualCalibrationSeconds = 60;
constexpr double kUsualCalibrationShare = 0.25;  // of --minutes
constexpr double kMostCalibrationShare = 0.5;

double limit_seconds(const ProveArguments& arguments) {
  return arguments.minutes * 60;
}

// Fails if measuring the disk would leave no time for the loads.
Result<void> check_times(const ProveArguments& arguments) {
  const double most_s = limit_seconds(arguments) * kMostCalibrationShare;
  if (!arguments.drive.empty() || arguments.calibrate_seconds.value_or(0) <= most_s) return {};
  return wrong_usage(
      {.place = "--calibrate-seconds",
       .expected = fmt::format("at most {:g}, half of --minutes {:g}", most_s, arguments.minutes),
       .found = fmt::format("{:g}", *arguments.calibrate_seconds),
       .advice = "allow more --minutes, or name the drive with --drive"});
}

double calibration_seconds(const ProveArguments& arguments) {
  return arguments.calibrate_seconds.value_or(
      std::clamp(limit_seconds(arguments) * kUsualCalibrationShare, kMinCalibrationSeconds,
                 kUsualCalibrationSeconds));
}

// Fails if two outputs are the same file, since the last one would replace the others.
Result<void> check_apart(const ProveArguments& arguments) {
  std::map<std::string, std::string_view> options;
  for (const auto& [option, path] :
       {std::pair("--html", arguments.html), std::pair("--upload-file", arguments.upload),
        std::pair("--json", arguments.answer.json_path())}) {
    if (path.empty()) continue;
    const auto [other, is_new] = options.emplace(canonical_path(path), option);
    if (!is_new)
      return wrong_usage({.file = path,
                          .place = option,
                          .expected = "a file of its own",
                          .found = fmt::format("the file of {}", other->second),
                          .advice = "name another file"});
  }
  return {};
}

// The other ways leave archives whole.
Result<void> check_way(const ProveArguments& arguments) {
  if (arguments.way == "packs" || arguments.content.scan.take_apart.empty()) return {};
  return wrong_usage({.place = "--take-apart",
                      .expected = "--way packs, since only packs hold entries instead of archives",
                      .found = fmt::format("--way {}", arguments.way),
                      .advice = "leave out --take-apart, or prove packs"});
}

// Fails before anything is measured if an output file can't be written.
Result<void> try_outputs(const ProveArguments& arguments) {
  SKL_TRY_DO(check_apart(arguments));
  for (const std::string& path : {arguments.html, arguments.upload})
    if (!path.empty() && path != "-") SKL_TRY_DROP(PendingFile::create(path));
  return arguments.answer.try_result();
}

// Returns how the content is scanned: as the way needs it.
ScanOptions scan_for(const ProveArguments& arguments) {
  ScanOptions scan = arguments.content.scan;
  if (arguments.way == "repack") {
    scan = repack_scan_options();
    scan.archive_sets = false;  // a proof would need a copy of all of their parts
    scan.exclude = arguments.content.scan.exclude;
    scan.opaque = arguments.content.scan.opaque;
  }
  return arguments.way == "place" ? scan_of_whole_files() : scan;
}

Result<ProveSubject> read_subject(const ProveArguments& arguments, uint64_t device) {
  ProveSubject subject;
  subject.device = device;
  subject.roots = arguments.content.roots;
  const ContentOptions options = {.roots = subject.roots, .scan = scan_for(arguments)};
  SKL_TRY(subject.content, read_content(options, arguments.answer));
  subject.runs = std::make_unique<KeptRuns>(subject.content);
  SKL_TRY(subject.profile, profile_traces(arguments.traces, options, subject.content,
                                          arguments.answer, nullptr, subject.runs.get()));
  warn_of_past_ends(*subject.runs, subject.content, arguments.answer);
  const std::string root = canonical_path(arguments.content.roots.front());
  subject.host = device_below(root);
  subject.read = files_read(subject.content, *subject.runs, subject.device);
  if (subject.read.paths.empty())
    return damaged({.file = arguments.traces.paths.front(),
                    .expected = "reads of the content",
                    .found = "none of files on its disk",
                    .advice = "give the content that was recorded; if its path was another then, "
                              "name that with --map"});
  return subject;
}

// Returns why there is nothing to prove; empty if there may be something.
std::string nothing_reason(const ProveArguments& arguments) {
  const FoundDrive found = drive_of_path(arguments.content.roots.front());
  if (found.is_in_memory) return "the content lies in memory (tmpfs), so no disk reads it";
  if (arguments.force) return {};
  return found.is_rotational == std::optional(false)
             ? "the content lies on an SSD, which takes no time to seek (--force measures it all "
               "the same)"
             : "";
}

// This capacity is large enough for any position.
DriveProfile largest_disk() {
  DriveProfile drive = builtin_profiles().front();
  std::get<HardDisk>(drive.hardware).capacity_bytes = kMaxCapacityBytes;
  return drive;
}

Result<MeasuredDisk> profile_of_disk(const ProveArguments& arguments, const ProveSubject& subject) {
  if (!arguments.drive.empty()) {
    SKL_TRY(auto named, get_drive(arguments.drive));
    return MeasuredDisk{
        .profile = std::move(named), .source = ProvenDriveSource::named, .remarks = {}};
  }
  const Progress progress("measuring the disk");
  // The files' positions don't depend on the profile, unless they lie past the drive's end.
  ProvenFiles files = find_places(subject.read.paths, largest_disk());
  return measure_disk(subject.host, files.has_real_places ? std::move(files.places) : FilePlaces(),
                      calibration_seconds(arguments), {});
}

// Returns the folders that the temporary folder may be made in if none is named, best first.
std::vector<std::string> usual_parents(const ProveArguments& arguments) {
  const std::string& root = arguments.content.roots.front();
  return {".", home_folder(), text_of_path(path_of_text(canonical_path(root)).parent_path()), root};
}

Result<std::string> work_parent(const ProveArguments& arguments, uint64_t device) {
  if (!arguments.work.empty()) {
    SKL_TRY(const auto identity, identity_of(canonical_path(arguments.work)));
    if (identity.device == device) return arguments.work;
    return wrong_usage({.file = arguments.work,
                        .place = "--work",
                        .expected = "a folder on the disk of the content",
                        .found = "one on another"});
  }
  const std::string found = folder_on_device(usual_parents(arguments), device);
  if (!found.empty()) return found;
  return wrong_usage({.place = "--work",
                      .expected = "a folder on the content's disk, for temporary files",
                      .found = "none that you may write to",
                      .advice = "name one with --work, or existing packs with --packs"});
}

Result<MadeForProof> made_or_given(const ProveArguments& arguments, const ProveSubject& subject,
                                   const MakingTerms& terms) {
  if (arguments.way == "repack") return make_archives(subject, terms);
  if (arguments.way == "place") return make_placed_files(subject, terms);
  if (arguments.packs.empty()) return make_packs(subject, terms);
  SKL_TRY(const auto identity, identity_of(canonical_path(arguments.packs)));
  if (identity.device == subject.device)
    return MadeForProof{.work = nullptr, .packs = canonical_path(arguments.packs)};
  return wrong_usage({.file = arguments.packs,
                      .place = "--packs",
                      .expected = "packs on the disk of the content",
                      .found = "packs on another"});
}

Result<ProvenFiles> files_after(const MadeForProof& made, const ProveSubject& subject,
                                const DriveProfile& drive) {
  const auto io = runtime::make_system_file_io();
  std::vector<std::string> paths = made.paths;
  if (!made.packs.empty()) {
    SKL_TRY(const auto files, files_of_set(*io, made.packs));
    for (const FileToPlace& file : files) paths.push_back(file.path);
  }
  // The page cache can't drop bytes that aren't on the disk yet.
  for (const std::string& path : subject.read.paths) (void)sync_file(path);
  for (size_t i = 0; i < paths.size(); ++i)
    if (!made.packs.empty() || paths[i] != subject.read.paths[i]) SKL_TRY_DO(sync_file(paths[i]));
  return find_places(std::move(paths), drive);
}

// Predicts each load's sweep, and adds the load to the proof. Loads that aren't in the packs are
// removed.
Result<std::vector<std::vector<FetchedRange>>> predict_sweeps(const std::string& folder,
                                                              const ProvenFiles& files,
                                                              const ProvenDisk& disk,
                                                              std::vector<LoadToProve>& loads,
                                                              Proof& proof) {
  const auto io = runtime::make_system_file_io();
  SKL_TRY(const auto known, scenarios_of_set(*io, folder));
  const size_t unknown =
      std::erase_if(loads, [&](const LoadToProve& load) { return !known.contains(load.scenario); });
  if (unknown > 0)
    proof.warnings.push_back(fmt::format("{} left out, since the packs don't know them.",
                                         counted(unknown, "load is", "loads are")));
  std::vector<std::vector<FetchedRange>> swept;
  for (LoadToProve& load : loads) {
    SKL_TRY(auto sweep, predict_sweep(folder, load.scenario, load.assets, files, disk));
    proof.loads.push_back({.name = load.scenario,
                           .needed_bytes = sweep.needed_bytes,
                           .bound_s = sweep.bound_s,
                           .before = std::move(load.before.side),
                           .after = std::move(sweep.predicted.side)});
    swept.push_back(std::move(sweep.predicted.fetched));
  }
  return swept;
}

// Predicts how long each load's recorded reads take from the new files, and adds the load to the
// proof.
Result<std::vector<std::vector<FetchedRange>>> predict_reads_after(
    const ProveSubject& subject, const MadeForProof& made, const ProvenFiles& files,
    const ProvenDisk& disk, std::vector<LoadToProve>& loads, Proof& proof) {
  const Locator locator(subject.content);
  std::vector<std::vector<FetchedRange>> fetched;
  for (LoadToProve& load : loads) {
    std::vector<Event> events = subject.runs->run(load.run).events;
    if (!made.moved.empty()) events = moved_reads(subject.content, locator, made.moved, events);
    load.events_after = proven_events(std::move(events), subject.read);
    SKL_TRY(auto reads, predict_reads(load.events_after, files, disk));
    proof.loads.push_back({.name = load.scenario,
                           .needed_bytes = reads.needed_bytes,
                           .bound_s = reads.bound_s,
                           .before = std::move(load.before.side),
                           .after = std::move(reads.predicted.side)});
    fetched.push_back(std::move(reads.predicted.fetched));
  }
  return fetched;
}

ReadAhead read_ahead_of(const std::optional<HostDevice>& host) {
  if (has_windows_names()) return kWindowsReadAhead;
  ReadAhead read_ahead;
  if (host && host->read_ahead_bytes > 0)
    read_ahead.max_bytes = std::min(host->read_ahead_bytes, kMaxReadAheadBytes);
  return read_ahead;
}

std::string next_command(const ProveArguments& arguments) {
  const auto word = [](const std::string& text) { return shell_word(text, shell_kind_here()); };
  std::string traces;
  std::string content;
  std::string options;
  for (const std::string& trace : arguments.traces.paths) traces += " " + word(trace);
  for (const std::string& root : arguments.content.roots)
    content += (arguments.way == "place" ? " " : " --content ") + word(root);
  for (const std::string& map : arguments.traces.maps) options += " --map " + word(map);
  for (const std::string& glob : arguments.content.scan.exclude)
    options += " --exclude " + word(glob);
  if (arguments.way == "place")
    return "to place the files themselves: seekless place" + content + traces + options;
  if (arguments.way == "repack")
    return "to rewrite the archives themselves: seekless repack" + traces + content + options +
           " --in-place";
  return "what rewritten archives would gain: seekless repack" + traces + content + options +
         " --dry-run";
}

// Writes each file even if another one fails.
void write_outputs(const ProveArguments& arguments, const ProveAnswer& answer,
                   std::vector<Error>& errors) {
  const auto note = [&errors](Result<void> written) {
    if (!written) errors.push_back(std::move(written).error());
  };
  note(arguments.answer.result(to_json(answer)));
  if (!answer.nothing_to_prove.empty()) return;
  if (!arguments.html.empty())
    note(write_text(arguments.html, to_html(answer, arguments.tell_names)));
  if (!arguments.upload.empty() && why_untold(answer.proof).empty())
    note(write_text(arguments.upload, to_upload(answer).dump(2) + "\n"));
}

void tell_proof(const ProveArguments& arguments, ProveAnswer answer, std::vector<Error>& errors) {
  const std::string untold =
      answer.nothing_to_prove.empty() ? why_untold(answer.proof) : std::string();
  if (answer.nothing_to_prove.empty() && untold.empty())
    answer.next_command = next_command(arguments);
  arguments.answer.line(to_text(answer, terminal_width(), arguments.answer.is_verbose()));
  write_outputs(arguments, answer, errors);
  if (untold.empty()) return;
  const bool wants_upload = !arguments.upload.empty();
  errors.push_back(
      failed({.file = arguments.content.roots.front(),
              .expected = "loads that the disk reads",
              .found = "loads that are in memory",
              .advice =
                  wants_upload ? fmt::format("--upload-file wasn't written: {}", untold) : untold})
          .error());
}

// The command returns one error; the others are printed first.
Result<void> first_of(const std::vector<Error>& errors, const Output& answer) {
  for (size_t i = 1; i < errors.size(); ++i) answer.warn(errors[i].message);
  if (errors.empty()) return {};
  return std::unexpected(errors.front());
}

struct ProofTimes {
  Clock::time_point begun;
  Clock::time_point deadline;
  double reading_s = 0;    // time spent reading the recordings and the content
  double measuring_s = 0;  // time spent measuring the disk
  double making_s = 0;
};

double seconds_from(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

std::unexpected<Error> no_time(const ProveArguments& arguments, const ProofTimes& times) {
  const double gone_s = seconds_from(times.begun);
  return failed(
      {.place = fmt::format("--minutes {:g}", arguments.minutes),
       .expected = "time for a load",
       .found = fmt::format("{:.0f} s gone: {:.0f} s for reading the recordings and the content, "
                            "{:.0f} s for measuring the disk, {:.0f} s for making the files to "
                            "measure, and {:.0f} s for predicting the loads",
                            gone_s, times.reading_s, times.measuring_s, times.making_s,
                            gone_s - times.reading_s - times.measuring_s - times.making_s),
       .advice = "allow more --minutes"});
}

// Measures loads from the new files and from the content, on a disk whose profile is known. If an
// error ends it after at least one complete round, returns that error; `proof` has the rounds.
Result<std::optional<Error>> measure_loads(const ProveArguments& arguments,
                                           const ProveSubject& subject, const MadeForProof& made,
                                           const ProofTimes& times, Proof& proof) {
  const ProvenFiles files = find_places(subject.read.paths, proof.drive);
  SKL_TRY(const auto after, files_after(made, subject, proof.drive));
  proof.has_real_places = files.has_real_places && after.has_real_places;
  proof.made_bytes = made.bytes;
  auto parking = HeadParking::find(subject.host, files);
  const ProvenDisk disk = {.profile = proof.drive,
                           .read_ahead = read_ahead_of(subject.host),
                           .head_bytes = parking.place_bytes(),
                           .has_measured_rate = proof.has_measured_rate};
  SKL_TRY(auto loads, loads_to_prove(subject.content, *subject.runs, subject.read, files, disk));
  SKL_TRY(const auto fetched, made.packs.empty()
                                  ? predict_reads_after(subject, made, after, disk, loads, proof)
                                  : predict_sweeps(made.packs, after, disk, loads, proof));
  if (loads.empty())
    return failed({.file = made.packs.empty() ? subject.roots.front() : made.packs,
                   .expected = made.packs.empty() ? "a load that reads the content"
                                                  : "a load that the packs know",
                   .found = "none",
                   .advice = "give traces of the packs' scenarios"});
  std::optional<Progress> progress;
  const RoundsToMake work = {
      .content = files,
      .packs = made.packs,
      .files_after = after,
      .loads = loads,
      .fetched_after = fetched,
      .device = subject.host,
      .rounds = arguments.rounds,
      .deadline = times.deadline,
      .on_load = [&](uint32_t round, size_t load) {
        progress.reset();
        progress.emplace(fmt::format("round {}, load {} of {}", round + 1, load + 1, loads.size()));
      }};
  SKL_TRY(auto ended_by, make_rounds(work, parking, proof));
  if (proof.loads.empty()) return no_time(arguments, times);
  return ended_by;
}

Error not_removed(const std::string& folder) {
  return failed({.file = folder,
                 .expected = "the temporary folder to be removed",
                 .found = "files in it that prove didn't make, or can't remove",
                 .advice = "move your own files away; the next run of prove removes the rest"})
      .error();
}

// Measures the disk for its share of the time limit, and notes how that was done.
Result<void> find_profile(const ProveArguments& arguments, const ProveSubject& subject,
                          ProveAnswer& answer) {
  Proof& proof = answer.proof;
  SKL_TRY(auto measured, profile_of_disk(arguments, subject));
  proof.drive = std::move(measured.profile);
  proof.source = measured.source;
  proof.has_measured_rate = measured.has_measured_rate;
  std::ranges::move(measured.remarks, std::back_inserter(proof.warnings));
  if (!measured.device_error.empty())
    arguments.answer.warn(fmt::format("the drive fits no profile ({}), so its files are measured",
                                      measured.device_error));
  if (!is_disk(proof.drive) && !arguments.force)
    answer.nothing_to_prove =
        proof.source == ProvenDriveSource::named
            ? "on the drive that --drive names every place is equally near"
            : "no place takes longer than another: the drive is solid state, or a cache answers";
  return {};
}

// Adds errors that don't prevent an answer.
Result<void> measure_proof(const ProveArguments& arguments, const ProveSubject& subject,
                           const std::string& parent, ProofTimes times, ProveAnswer& answer,
                           std::vector<Error>& errors) {
  const auto at_first = Clock::now();
  times.reading_s = seconds_from(times.begun);
  SKL_TRY_DO(find_profile(arguments, subject, answer));
  times.measuring_s = seconds_from(at_first);
  if (!answer.nothing_to_prove.empty()) return {};
  const auto then = Clock::now();
  SKL_TRY(
      auto made,
      made_or_given(arguments, subject,
                    {.parent = parent, .drive = answer.proof.drive, .deadline = times.deadline}));
  times.making_s = seconds_from(then);
  std::ranges::move(made.remarks, std::back_inserter(answer.proof.warnings));
  auto ended_by = measure_loads(arguments, subject, made, times, answer.proof);
  const bool is_left = made.work && !made.work->remove();
  if (!ended_by) {
    if (is_left) arguments.answer.warn(not_removed(made.work->path()).message);
    return std::unexpected(std::move(ended_by).error());
  }
  if (*ended_by) errors.push_back(**std::move(ended_by));
  if (is_left) errors.push_back(not_removed(made.work->path()));
  return {};
}

// Removes the temporary folders of killed runs, wherever this run, or one with other options, could
// have made them.
void remove_leavings(const ProveArguments& arguments) {
  std::set<std::string> parents;
  if (!arguments.work.empty()) parents.insert(canonical_path(arguments.work));
  for (const std::string& parent : usual_parents(arguments))
    if (!parent.empty()) parents.insert(canonical_path(parent));
  for (const std::string& parent : parents) {
    const LeftWorkFolders left = remove_left_work_folders(parent);
    for (const std::string& path : left.removed)
      arguments.answer.warn(fmt::format("{}: left by a run that was killed; removed", path));
    for (const std::string& path : left.foreign)
      arguments.answer.warn(fmt::format(
          "{}: a killed run seems to have left it, but it holds other files; not removed", path));
    for (const std::string& path : left.stuck)
      arguments.answer.warn(fmt::format(
          "{}: a killed run seems to have left it, but it can't be removed; remove it yourself",
          path));
  }
}

ProvenWay way_of(const std::string& name) {
  if (name == "repack") return ProvenWay::repack;
  return name == "place" ? ProvenWay::place : ProvenWay::packs;
}

Result<void> run(const ProveArguments& arguments) {
  ProofTimes times = {.begun = Clock::now(), .deadline = {}};
  times.deadline = times.begun + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(limit_seconds(arguments)));
  SKL_TRY_DO(check_times(arguments));
  SKL_TRY_DO(check_way(arguments));
  SKL_TRY_DO(try_outputs(arguments));
  std::vector<Error> errors;
  ProveAnswer answer;
  answer.proof.way = way_of(arguments.way);
  answer.proof.is_forced = arguments.force;
  answer.nothing_to_prove = nothing_reason(arguments);
  if (answer.nothing_to_prove.empty()) {
    SKL_TRY(const auto identity, identity_of(canonical_path(arguments.content.roots.front())));
    remove_leavings(arguments);
    std::string parent;
    if (arguments.packs.empty()) {
      SKL_TRY(parent, work_parent(arguments, identity.device));
    }
    SKL_TRY(const auto subject, read_subject(arguments, identity.device));
    if (arguments.tell_drive && subject.host) answer.proof.drive_model = subject.host->model;
    if (subject.read.elsewhere > 0)
      answer.proof.warnings.push_back(
          fmt::format("{} left out, on another disk.",
                      counted(subject.read.elsewhere, "file is", "files are")));
    SKL_TRY_DO(measure_proof(arguments, subject, parent, times, answer, errors));
  }
  answer.proof.seconds = seconds_from(times.begun);
  tell_proof(arguments, std::move(answer), errors);
  return first_of(errors, arguments.answer);
}

void add_outputs(const Command& command, ProveArguments& arguments) {
  command.option({.name = "--html",
                  .takes = "FILE",
                  .help = "Also write the result as an HTML page that you can send to others"},
                 arguments.html);
  command.option({.name = "--upload-file",
                  .takes = "FILE",
                  .help = "Also write the figures as JSON, to send to someone who collects them"},
                 arguments.upload);
  command.option(
      {.name = "--tell-drive",
       .help = "Include the drive's model name in the files of --html and --upload-file"},
      arguments.tell_drive);
  command.option({.name = "--tell-names", .help = "Include the loads' names in the page of --html"},
                 arguments.tell_names);
  arguments.answer.add_verbose(command);
  arguments.answer.add_option(command);
}

}  // namespace

void add_prove(const Command& tool) {
  auto arguments = std::make_shared<ProveArguments>();
  const Command command = tool.add("prove", "Measure on your own disk how much faster loads get");
  arguments->traces.add_to(command, "TRACE");
  arguments->content.add_to(command);
  command.option(
      {.name = "--way",
       .help =
           "What to compare the content with. packs: packs, read in sweeps; repack: the archives "
           "that 'repack' writes; place: the files in the places that 'place' gives them",
       .values = {"packs", "repack", "place"}},
      arguments->way);
  command.option({.name = "--packs",
                  .takes = "DIR",
                  .help = "Existing packs to measure, instead of temporary ones",
                  .not_with = {"--way"}},
                 arguments->packs);
  command.option({.name = "--work",
                  .takes = "DIR",
                  .help = "Folder for temporary files, on the content's disk",
                  .usual = "the working folder, the home folder, or one near the content",
                  .not_with = {"--packs"}},
                 arguments->work);
  add_drive_option(command, arguments->drive, "a profile that this run measures");
  command.option({.name = "--rounds",
                  .help = "How many times to measure each load, before and after in turn",
                  .range = OptionRange{1, 100}},
                 arguments->rounds);
  command.option(
      {.name = "--minutes",
       .help = "Time limit for everything: measuring the disk, making the files to compare, and "
               "loading. When it is reached, the current load is finished, and no other begins",
       .range = OptionRange{1, 600}},
      arguments->minutes);
  command.option({.name = "--calibrate-seconds",
                  .help = "How long to measure the drive, at most half of --minutes; longer is "
                          "more exact",
                  .usual = "60, but at most a quarter of --minutes",
                  .range = OptionRange{kMinCalibrationSeconds, kMaxCalibrationSeconds}},
                 arguments->calibrate_seconds);
  command.option({.name = "--force", .help = "Measure even on an SSD"}, arguments->force);
  add_outputs(command, *arguments);
  command.footer(
      "Example:\n  seekless prove traces/*.trace --content ~/quake --html proof.html\n\n'prove' "
      "doesn't change the content, and removes its temporary files at the end.");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
