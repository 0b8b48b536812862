// seekless prove: measures on the user's own disk what packs gain, beside what the drive model
// predicts.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>

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
  double calibrate_seconds = 60;
  bool force = false;
  bool tell_drive = false;
  bool tell_names = false;
  std::string html;
  std::string upload;
  Output answer;
};

// Returns how the content is scanned: as the way needs it.
ScanOptions scan_for(const ProveArguments& arguments) {
  ScanOptions scan = arguments.content.scan;
  if (arguments.way == "repack") {
    scan = repack_scan_options();
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
                    .advice = "give the content that was recorded, or say with --map what it is "
                              "called here"});
  return subject;
}

// Returns why there is nothing to prove; empty if there may be something.
std::string solid_state_reason(const ProveArguments& arguments) {
  if (arguments.force) return {};
  const FoundDrive found = drive_of_path(arguments.content.roots.front());
  return found.is_rotational == std::optional(false)
             ? "the content lies on solid state, where every place is equally near (--force "
               "measures all the same)"
             : "";
}

// Any place fits on it.
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
  // Which places the files have doesn't depend on the profile, unless they lie past its end.
  ProvenFiles files = find_places(subject.read.paths, largest_disk());
  return measure_disk(subject.host, files.has_real_places ? std::move(files.places) : FilePlaces(),
                      arguments.calibrate_seconds, {});
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
  const std::string& root = arguments.content.roots.front();
  const std::string above = text_of_path(path_of_text(canonical_path(root)).parent_path());
  const std::string found = folder_on_device({".", home_folder(), above, root}, device);
  if (!found.empty()) return found;
  return wrong_usage({.place = "--work",
                      .expected =
                          "a folder on the disk of the content, for what is made and removed "
                          "afterwards",
                      .found = "none that may be written to",
                      .advice = "name one with --work, or packs that exist with --packs"});
}

Result<MadeForProof> made_or_given(const ProveArguments& arguments, const ProveSubject& subject,
                                   const std::string& parent, const DriveProfile& drive) {
  if (arguments.way == "repack") return make_archives(subject, parent, drive);
  if (arguments.way == "place") return make_placed_files(subject, parent, drive);
  if (arguments.packs.empty()) return make_packs(subject, parent, drive);
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
  // Bytes that aren't on the disk yet can't be dropped from memory.
  for (size_t i = 0; i < paths.size(); ++i)
    if (!made.packs.empty() || paths[i] != subject.read.paths[i]) SKL_TRY_DO(sync_file(paths[i]));
  return find_places(std::move(paths), drive);
}

// Predicts each load's sweep, and adds the load to the proof. Loads that the packs don't know are
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

// Predicts each load's recorded reads of the files that were made, and adds the load to the proof.
Result<std::vector<std::vector<FetchedRange>>> predict_reads_after(
    const ProveSubject& subject, const MadeForProof& made, const ProvenFiles& files,
    const ProvenDisk& disk, std::vector<LoadToProve>& loads, Proof& proof) {
  const Locator locator(subject.content);
  const LyingFiles lying = {.files = files.places};
  const SimulationOptions options = {.read_ahead = disk.read_ahead};
  std::vector<std::vector<FetchedRange>> fetched;
  for (LoadToProve& load : loads) {
    std::vector<Event> events = subject.runs->run(load.run).events;
    if (!made.moved.empty()) events = moved_reads(subject.content, locator, made.moved, events);
    load.events_after = proven_events(std::move(events), subject.read);
    SKL_TRY(auto predicted, predict_reads(load.events_after, files, disk));
    const SimulatedLoad needed = load_of(load.events_after, disk.profile, lying, options, false);
    proof.loads.push_back({.name = load.scenario,
                           .needed_bytes = needed.needed_bytes,
                           .bound_s = needed.bound_seconds,
                           .before = std::move(load.before.side),
                           .after = std::move(predicted.side)});
    fetched.push_back(std::move(predicted.fetched));
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

// Quotes what a shell would take apart.
std::string shell_word(const std::string& word) {
  const bool is_plain = std::ranges::all_of(word, [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("/._-+,=@:").contains(static_cast<char>(letter));
  });
  return is_plain && !word.empty() ? word : in_quotes(word);
}

std::string next_command(const ProveArguments& arguments) {
  std::string traces;
  std::string content;
  std::string options;
  for (const std::string& trace : arguments.traces.paths) traces += " " + shell_word(trace);
  for (const std::string& root : arguments.content.roots)
    content += (arguments.way == "place" ? " " : " --content ") + shell_word(root);
  for (const std::string& map : arguments.traces.maps) options += " --map " + shell_word(map);
  for (const std::string& glob : arguments.content.scan.exclude)
    options += " --exclude " + shell_word(glob);
  if (arguments.way == "place")
    return "to place the files themselves: seekless place" + content + traces + options;
  if (arguments.way == "repack")
    return "to rewrite the archives themselves: seekless repack" + traces + content + options +
           " --in-place";
  return "what rewritten archives would gain: seekless repack" + traces + content + options +
         " --dry-run";
}

Result<void> tell_proof(const ProveArguments& arguments, ProveAnswer answer) {
  if (answer.nothing_to_prove.empty()) answer.next_command = next_command(arguments);
  arguments.answer.line(to_text(answer, terminal_width(), arguments.answer.is_verbose()));
  if (!answer.nothing_to_prove.empty()) return arguments.answer.result(to_json(answer));
  if (!arguments.html.empty())
    SKL_TRY_DO(write_text(arguments.html, to_html(answer, arguments.tell_names)));
  if (!arguments.upload.empty())
    SKL_TRY_DO(write_text(arguments.upload, to_upload(answer).dump(2) + "\n"));
  return arguments.answer.result(to_json(answer));
}

// Measures what was made beside the content, on a disk whose profile is known.
Result<void> measure_loads(const ProveArguments& arguments, const ProveSubject& subject,
                           const MadeForProof& made, Clock::time_point begun, Proof& proof) {
  const ProvenFiles files = find_places(subject.read.paths, proof.drive);
  SKL_TRY(const auto after, files_after(made, subject, proof.drive));
  proof.has_real_places = files.has_real_places && after.has_real_places;
  proof.made_bytes = made.bytes;
  auto parking = HeadParking::find(subject.host, files);
  const ProvenDisk disk = {.profile = proof.drive,
                           .read_ahead = read_ahead_of(subject.host),
                           .head_bytes = parking.place_bytes()};
  SKL_TRY(auto loads, loads_to_prove(subject.content, *subject.runs, subject.read, files, disk));
  SKL_TRY(const auto fetched, made.packs.empty()
                                  ? predict_reads_after(subject, made, after, disk, loads, proof)
                                  : predict_sweeps(made.packs, after, disk, loads, proof));
  std::optional<Progress> progress;
  const auto minutes = std::chrono::duration<double, std::ratio<60>>(arguments.minutes);
  const RoundsToMake work = {
      .content = files,
      .packs = made.packs,
      .files_after = after,
      .loads = loads,
      .fetched_after = fetched,
      .device = subject.host,
      .rounds = arguments.rounds,
      .deadline = begun + std::chrono::duration_cast<Clock::duration>(minutes),
      .on_load = [&](uint32_t round, size_t load) {
        progress.reset();
        progress.emplace(fmt::format("round {}, load {} of {}", round + 1, load + 1, loads.size()));
      }};
  SKL_TRY_DO(make_rounds(work, parking, proof));
  if (!proof.loads.empty()) return {};
  return failed({.file = made.packs.empty() ? subject.roots.front() : made.packs,
                 .expected = made.packs.empty() ? "a load measured in time"
                                                : "a load that the packs know, measured in time",
                 .found = "none",
                 .advice = made.packs.empty()
                               ? "give it more --minutes"
                               : "give traces of the packs' scenarios, or more --minutes"});
}

// Returns the temporary folder if it couldn't be removed.
Result<std::string> measure_proof(const ProveArguments& arguments, const ProveSubject& subject,
                                  const std::string& parent, Clock::time_point begun,
                                  ProveAnswer& answer) {
  Proof& proof = answer.proof;
  SKL_TRY(auto measured, profile_of_disk(arguments, subject));
  proof.drive = std::move(measured.profile);
  proof.source = measured.source;
  std::ranges::move(measured.remarks, std::back_inserter(proof.warnings));
  if (!is_disk(proof.drive) && !arguments.force) {
    answer.nothing_to_prove =
        proof.source == ProvenDriveSource::named
            ? "on the drive that --drive names every place is equally near"
            : "no place takes longer than another: the drive is solid state, or a cache answers";
    return std::string();
  }
  SKL_TRY(auto made, made_or_given(arguments, subject, parent, proof.drive));
  std::ranges::move(made.remarks, std::back_inserter(proof.warnings));
  SKL_TRY_DO(measure_loads(arguments, subject, made, begun, proof));
  return made.work && !made.work->remove() ? made.work->path() : std::string();
}

// Returns the folder for the packs, without what killed runs left there; empty if packs exist.
Result<std::string> cleared_parent(const ProveArguments& arguments, uint64_t device) {
  if (!arguments.packs.empty()) return std::string();
  SKL_TRY(auto parent, work_parent(arguments, device));
  for (const std::string& left : remove_left_work_folders(canonical_path(parent)))
    arguments.answer.warn(fmt::format("{}: left by a run that was killed; removed", left));
  return parent;
}

ProvenWay way_of(const std::string& name) {
  if (name == "repack") return ProvenWay::repack;
  return name == "place" ? ProvenWay::place : ProvenWay::packs;
}

Result<void> run(const ProveArguments& arguments) {
  const auto begun = Clock::now();
  ProveAnswer answer;
  answer.proof.way = way_of(arguments.way);
  answer.nothing_to_prove = solid_state_reason(arguments);
  if (!answer.nothing_to_prove.empty()) return tell_proof(arguments, std::move(answer));
  SKL_TRY(const auto identity, identity_of(canonical_path(arguments.content.roots.front())));
  SKL_TRY(const auto parent, cleared_parent(arguments, identity.device));
  SKL_TRY(const auto subject, read_subject(arguments, identity.device));
  if (arguments.tell_drive && subject.host) answer.proof.drive_model = subject.host->model;
  if (subject.read.elsewhere > 0)
    answer.proof.warnings.push_back(fmt::format(
        "{} left out, on another disk.", counted(subject.read.elsewhere, "file is", "files are")));
  SKL_TRY(const auto left, measure_proof(arguments, subject, parent, begun, answer));
  answer.proof.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  SKL_TRY_DO(tell_proof(arguments, std::move(answer)));
  if (left.empty()) return {};
  return failed({.file = left,
                 .expected = "the temporary folder to be removed",
                 .found = "some of them still there",
                 .advice = "remove them, or run it again, which does"});
}

void add_outputs(const Command& command, ProveArguments& arguments) {
  command.option(
      {.name = "--html", .takes = "FILE", .help = "Also write a page that can be sent to others"},
      arguments.html);
  command.option({.name = "--upload-file",
                  .takes = "FILE",
                  .help = "Also write the figures alone, for somebody who collects them"},
                 arguments.upload);
  command.option({.name = "--tell-drive",
                  .help = "Put the drive's model into the page and the file of figures"},
                 arguments.tell_drive);
  command.option({.name = "--tell-names", .help = "Put the names of the loads into the page"},
                 arguments.tell_names);
  arguments.answer.add_verbose(command);
  arguments.answer.add_option(command);
}

}  // namespace

void add_prove(const Command& tool) {
  auto arguments = std::make_shared<ProveArguments>();
  const Command command = tool.add("prove", "Measure on your own disk what another order gains");
  arguments->traces.add_to(command, "TRACE");
  arguments->content.add_to(command);
  command.option({.name = "--way",
                  .help = "What to measure beside the content as it lies: packs that are swept, "
                          "archives that 'repack' writes, or files as 'place' puts them",
                  .values = {"packs", "repack", "place"}},
                 arguments->way);
  command.option({.name = "--packs",
                  .takes = "DIR",
                  .help = "Packs that exist, instead of ones that are made and removed",
                  .not_with = {"--way"}},
                 arguments->packs);
  command.option({.name = "--work",
                  .takes = "DIR",
                  .help = "Folder on the content's disk for what is made and removed",
                  .usual = "this folder, the home folder, or one near the content",
                  .not_with = {"--packs"}},
                 arguments->work);
  add_drive_option(command, arguments->drive, "measured");
  command.option({.name = "--rounds",
                  .help = "How often each load is measured, before and after in turn",
                  .range = OptionRange{1, 100}},
                 arguments->rounds);
  command.option({.name = "--minutes",
                  .help = "Time after which no further load is measured",
                  .range = OptionRange{1, 600}},
                 arguments->minutes);
  command.option({.name = "--calibrate-seconds",
                  .help = "How long to measure the drive; longer is more exact",
                  .range = OptionRange{kMinCalibrationSeconds, kMaxCalibrationSeconds}},
                 arguments->calibrate_seconds);
  command.option({.name = "--force", .help = "Also on an SSD"}, arguments->force);
  add_outputs(command, *arguments);
  command.footer(
      "Example:\n  seekless prove traces/*.trace --content ~/quake --html proof.html\n\n"
      "It only reads the content. What it makes is in a temporary folder, and removed.");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
