#include "packer/command/internal/play_learning.h"

#include <algorithm>

#include "packer/host/machine.h"
#include "packer/host/own_folder.h"
#include "packer/layout/layout.h"

namespace seekless {
namespace {

// Uses only 1 / kMemoryPart of the memory, because the game needs memory, too.
constexpr uint64_t kMemoryPart = 4;

}  // namespace

Learned known_of(const PlaySettings& settings, std::string& warning) {
  const auto state = GameState::open(settings.state, settings.game);
  if (state) return state->load(warning);
  // Without a state folder, nothing could have been stored.
  if (state_place("play", settings.state)) warning = state.error().message;
  return {};
}

Result<PlayLearning> PlayLearning::open(const PlaySettings& settings) {
  SKL_TRY(auto state, GameState::open(settings.state, settings.game));
  SKL_TRY_DO(state.lock_at_start());
  return PlayLearning(settings, std::move(state));
}

Learned PlayLearning::load(std::string& warning) {
  Learned learned = state_.load(warning);
  if (!state_.is_locked()) known_ = to_text(learned);
  return learned;
}

ForeseeOptions PlayLearning::options_for(const Learned& learned, const FoundDrive& drive) const {
  // Reading a network file needs no seek between two pieces, so only a short gap is worth reading.
  constexpr uint64_t kFarGapBytes = 32 << 10;
  const bool is_rotational = drive.is_rotational.value_or(!drive.is_on_network);
  return {.folder = settings_->game.folder,
          .folders = settings_->folders,
          .shadow = learned.shadow.file.empty() ? "" : state_.shadow_path(learned.shadow.file),
          .gap_bytes = drive.is_on_network ? kFarGapBytes : kDefaultReadThroughBytes,
          .around_bytes = is_rotational ? kDefaultReadThroughBytes : 0,
          .most_bytes = memory_bytes() / kMemoryPart,
          .knows_command = knows_command(learned, settings_->command),
          .manners = {.is_far = drive.is_on_network}};
}

Result<void> PlayLearning::save(Learned& learned) {
  const bool was_locked = state_.is_locked();
  SKL_TRY_DO(state_.lock());
  // The learned file also says when the game was last played, so it is written in any case.
  if (!state_.is_noted(settings_->game)) SKL_TRY_DO(state_.note_played(settings_->game));
  std::string warning;
  if (!was_locked && to_text(state_.load(warning)) != known_)
    return failed(
        {.file = settings_->game.path(),
         .expected = "no other run that plays this game or lays it out",
         .found = "one that ended before this run",
         .advice = "what the other run learned is kept, and what this run learned is dropped"});
  note_command(learned, settings_->command);
  return state_.save(learned);
}

PlayedReads played_reads(const ForeseenFigures& figures) {
  return {.reads = figures.reads,
          .shadow_reads = figures.shadow_reads,
          .longest_wait_s = figures.longest_wait_s,
          .recognised = figures.recognised,
          .fetched_next = figures.fetched_next,
          .fetched_bytes = figures.swept.fetched_bytes,
          .around_bytes = figures.around_bytes,
          .damaged_chunks = figures.swept.damaged_chunks};
}

void tell_what_it_brought(const Learned& learned, const std::vector<SeenLoad>& loads,
                          PlayedRun& run) {
  for (const SeenLoad& load : loads) {
    const auto known = std::ranges::find(learned.scenarios, load.name, &LearnedScenario::name);
    if (known == learned.scenarios.end() || known->runs < 2) continue;
    run.first_waited_s += known->first_waited_s;
    run.last_waited_s += known->last_waited_s;
  }
}

Result<void> keep_watched(PlayLearning& learning, WatchedEnd& end, PlayedRun& run) {
  run.foreseen = played_reads(end.figures);
  tell_what_it_brought(end.learned, end.loads, run);
  if (!end.learned.scenarios.empty() || learning.state().is_there())
    SKL_TRY_DO(learning.save(end.learned));
  run.scenarios = end.learned.scenarios.size();
  return {};
}

}  // namespace seekless
