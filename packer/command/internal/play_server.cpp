#include "packer/command/internal/play_server.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "packer/command/internal/play_advice.h"
#include "packer/command/internal/play_system.h"
#include "packer/command/internal/play_watcher.h"
#include "packer/foresee/laid_out.h"
#include "packer/host/block_device.h"
#include "packer/host/files.h"
#include "packer/host/folder_lock.h"
#include "packer/host/interrupt.h"
#include "packer/host/whole_files.h"
#include "packer/layout/layout.h"
#include "packer/record/marks.h"
#include "packer/serve/lay_out_process.h"
#include "packer/serve/shadow_writer.h"
#include "packer/trace/import_file.h"
#include "packer/warm/warm_files.h"

namespace seekless {
namespace {

// A smaller saving isn't noticeable.
constexpr double kWorthTellingS = 0.2;

PlayedTrace played_trace(const Recording& recording) {
  const ImportReport& report = recording.report();
  return {.file = recording.path(),
          .scenario = report.scenario,
          .events = report.events,
          .reads = report.reads,
          .bytes = report.read_bytes,
          .paths = report.paths};
}

// A game that is served twice has two caches and two sets of locks.
std::string_view danger_of_two(const PlaySettings& settings) {
  const auto state = GameState::open(settings.state, settings.game);
  if (!state || !FolderLock::holder(state->folder())) return "";
  return "; the two games don't see each other's locks, so what both write may be lost: end one";
}

}  // namespace

// Keeps the shadow if only a tenth is missing: copying everything again would take longer than that
// tenth saves.
Result<uint64_t> lay_out(const GameState& state, const PlaySettings& settings, Learned learned) {
  SKL_TRY_DO(drop_changed(settings.game.folder, learned));
  const uint64_t there = shadow_bytes(learned);
  if (laid_out(learned).is_nearly_all() && there <= settings.room_bytes) return there;
  return write_shadow(state, settings.game.folder, learned, settings.room_bytes);
}

// The game is served even if neither what is learned nor the trace can be stored.
Result<void> PlayServer::prepare() {
  drive_ = drive_of_path(settings_.game.folder);
  auto learning = PlayLearning::open(settings_);
  if (learning)
    learning_.emplace(*std::move(learning));
  else
    warn(fmt::format("{}; nothing is prefetched or learned this time{}", learning.error().message,
                     danger_of_two(settings_)));
  if (settings_.trace.empty()) return {};
  ImportOptions options;
  options.default_scenario = scenario_of_file(settings_.trace);
  auto created = Recording::create(settings_.trace, options);
  if (created)
    recording_ = *std::move(created);
  else
    warn_of_trace(created.error());
  return {};
}

Result<std::string> PlayServer::serve(const ServedFolders& served) {
  if (!learning_) {
    SKL_TRY_DO(serve_recorded(served, originals_));
  } else {
    std::string warning;
    Learned learned = learning_->load(warning);
    if (!warning.empty()) warn(warning);
    const ForeseeOptions options = learning_->options_for(learned, drive_);
    ForeseenReads& foreseen = foreseen_.emplace(std::move(learned), options);
    foreseen.begin();
    SKL_TRY_DO(serve_recorded(served, foreseen));
    told_.foreseen = played_reads(foreseen.figures());
    Learned now_learned = foreseen.finish();
    mark_loads(foreseen.loads());
    tell_what_it_brought(now_learned, foreseen.loads(), told_);
    keep(std::move(now_learned), served);
    if (is_watched(served) && learning_->state().is_locked() && !is_interrupted())
      told_.advice = take_advice(learning_->state(), settings_);
    told_.lays_out_after = told_.lays_out_after && !is_interrupted();
    if (told_.lays_out_after) begin_to_lay_out();
    learning_.reset();  // the next run locks it, even if this process can't end yet
  }
  return handed_over(told_);
}

// Marks the loads in the trace, at the end, since they aren't known earlier. Does nothing if other
// shells have set marks, or if the whole trace has a name: these say better what was loaded.
void PlayServer::mark_loads(const std::vector<SeenLoad>& loads) {
  if (!told_.trace || recording_->figures().marks > 0 || !settings_.scenario.empty()) return;
  ImportOptions options;
  for (const SeenLoad& load : loads)
    if (!load.is_start)
      options.marks.push_back(
          {.time_ns = load.began_ns - recording_->began_ns(), .scenario = load.name});
  if (options.marks.empty()) return;
  const std::string& trace = recording_->path();
  if (const auto marked = import_file(trace, trace, options); !marked)
    return warn(marked.error().message);
  for (const TimeMark& mark : options.marks) told_.marked.push_back(mark.scenario);
}

// Stores what was learned. If the watching process still waits, also copies what loads read into
// the shadow, or finds out how much time that would save. If that process was killed or asked to
// end, nothing is copied: its user shouldn't wait for gigabytes, and may start another run.
void PlayServer::keep(Learned learned, const ServedFolders& served) {
  if (learned.scenarios.empty() && !learning_->state().is_there()) {
    told_.scenarios = 0;
    if (settings_.lays_out) told_.shadow_bytes = 0;
    return;
  }
  if (auto saved = learning_->save(learned); !saved)
    return warn(saved.error().message + "; nothing is learned this time");
  told_.scenarios = learned.scenarios.size();
  note_end_of_watch(served);
  if (!is_watched(served)) return;
  if (foreseen_->has_silent_files()) {
    if (settings_.lays_out)
      warn(settings_.game.path() +
           ": a disk or server of some of its files doesn't answer; nothing is copied this time");
    return;
  }
  if (settings_.lays_out_after)
    if (auto looked = drop_changed(settings_.game.folder, learned); !looked)
      return warn(looked.error().message);
  if (!settings_.lays_out) {
    const double saved_s = saved_by_laying_out_s(learned, kDefaultReadThroughBytes);
    if (saved_s < kWorthTellingS) return;
    if (settings_.lays_out_after)
      told_.lays_out_after = can_lay_out(learned);
    else
      told_.laying_out_saves_s = saved_s;
    return;
  }
  const auto laid = lay_out(learning_->state(), settings_, std::move(learned));
  if (laid)
    told_.shadow_bytes = *laid;
  else
    warn(laid.error().message);
}

// Returns false if there isn't room for all, and a part is laid out already: laying out again would
// only copy the same part.
bool PlayServer::can_lay_out(const Learned& learned) const {
  const auto free = free_bytes(learning_->state().folder());
  const uint64_t needed = laid_out(learned).likely_bytes;
  const bool has_room = free && needed <= settings_.room_bytes && needed + kKeptFreeBytes <= *free;
  return has_room || learned.shadow.sections.empty();
}

void PlayServer::begin_to_lay_out() {
  const std::string state = learning_->state().folder();
  learning_.reset();  // the other process locks it
  std::vector<std::string> words = {"play",
                                    "--lay-out",
                                    "--auto",
                                    "--room",
                                    std::to_string(settings_.room_bytes),
                                    "--state",
                                    state.substr(0, state.rfind('/'))};
  if (!settings_.game.name.empty()) words.insert(words.end(), {"--game", settings_.game.name});
  words.push_back(settings_.game.path());
  if (const auto started = start_laying_out(words); !started) warn(started.error().message);
}

Result<void> PlayServer::serve_and_warn(const ServedFolders& served, FileReader& reader) {
  std::vector<FileReader*> all;
  for (const ServedFolder& folder : served.folders)
    all.push_back(&readers_.emplace_back(settings_.game.folder, folder.path, reader));
  SKL_TRY(const auto told, serve_folders(served, all));
  for (const std::string& text : told) warn(text);
  for (const ReadsOfGame& one : readers_)
    if (!one.was_read()) told_.unread_folders.push_back(one.folder());
  // An emulator may need only some of a disc's files.
  if (!settings_.game.file.empty() && told_.unread_folders.size() < readers_.size())
    told_.unread_folders.clear();
  return {};
}

Result<void> PlayServer::serve_recorded(const ServedFolders& served, FileReader& reader) {
  const auto begun = recording_
                         ? recording_->begin(header_of(settings_.scenario, settings_.command))
                         : Result<void>{};
  if (!begun) {
    warn_of_trace(begun.error());
    recording_.reset();
  }
  if (!recording_) return serve_and_warn(served, reader);
  Recording& trace = *recording_;
  RecordedReads& recorded = recorded_.emplace(settings_.game.folder, trace, reader);
  {
    const auto marks = MarkListener::create(trace.path(), [&trace](const MarkRequest& request) {
      return trace.mark(request.value_or(""), request.has_value());
    });
    SKL_TRY_DO(serve_and_warn(served, recorded));
  }
  if (auto finished = trace.finish(); finished)
    told_.trace = played_trace(trace);
  else
    warn(finished.error().message);
  return {};
}

bool can_serve_file() {
  return true;
}

bool can_lay_out() {
  return true;
}

Result<void> check_can_help(const PlayArguments&) {
  return {};  // folders that can't be served are watched
}

std::string_view without_help() {
  return "; the game is run without being served";
}

Result<PlayAnswer> run_helped(const PlayArguments& arguments) {
  const Output& answer = arguments.answer;
  PlayServer server(arguments.settings);
  PlayWatcher watcher(arguments.settings);
  SKL_TRY(const auto end,
          keep_program({.folders = arguments.settings.folders,
                        .command = arguments.settings.command,
                        .warn = [&answer](std::string_view text) { answer.warn(text); }},
                       server, watcher));
  return PlayAnswer{.folder = arguments.settings.game.path(),
                    .folders = arguments.settings.folders,
                    .exit_code = end.exit_code,
                    .was_served = end.was_served,
                    .was_watched = end.was_watched,
                    .run = played_run_of(end.told)};
}

Result<int> run_unhelped(const PlayArguments& arguments) {
  return run_program(arguments.settings.command);
}

}  // namespace seekless
