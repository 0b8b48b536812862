#include "packer/serve/game_state.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "packer/foresee/bounded.h"
#include "packer/host/calls.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/leftovers.h"
#include "packer/host/own_folder.h"
#include "packer/serve/lay_out_process.h"

namespace seekless {
namespace {

constexpr const char* kLearnedFile = "learned.json";
constexpr std::string_view kShadowFront = "shadow-";
// Holds the path of the game and its name, each ended by a NUL, because paths may hold any other
// byte.
constexpr const char* kGameFile = "game";
// This file exists if the game crashed at once with the hooks in it.
constexpr const char* kCrashFile = "crashed";
// This file exists once the ways were compared. It names a way that would gain more than `play`,
// and is empty if none is known, or if the user was told.
constexpr const char* kAdviceFile = "advice";
constexpr uint64_t kMostGameBytes = 16 << 10;
constexpr uint64_t kMostAdviceBytes = 4 << 10;

bool is_of_state(const FolderEntry& entry) {
  return (!entry.is_folder || entry.is_link) &&
         (entry.name == kLearnedFile || entry.name == kGameFile || entry.name == kCrashFile ||
          entry.name == kAdviceFile || entry.name.starts_with(kShadowFront) ||
          is_temporary_name(entry.name));
}

std::string note_of(const PlayedGame& game) {
  using namespace std::string_literals;
  return game.path() + "\0"s + game.name + "\0"s;
}

PlayedGame noted_game(const std::string& folder) {
  const auto text = read_own_text(folder + "/" + kGameFile, kMostGameBytes);
  if (!text) return {};
  const size_t end = text->find('\0');
  if (end == std::string::npos) return {};
  return {text->substr(0, end), text->substr(end + 1, text->find('\0', end + 1) - end - 1)};
}

// Ends a process that lays the game out: this run needs the disk, and a later run lays out again.
// The process may release the lock right before it is looked for, so a lock that nobody seems to
// hold is tried once more.
Result<FolderLock> take_lock(const std::string& folder, std::chrono::milliseconds most) {
  constexpr auto kWait = std::chrono::milliseconds(2);
  const auto until = std::chrono::steady_clock::now() + most;
  for (;;) {
    auto taken = FolderLock::take(folder, "play");
    if (taken) return taken;
    const auto holder = laying_out(folder);
    if (!holder) return FolderLock::take(folder, "play");
    stop_laying_out(*holder);
    if (std::chrono::steady_clock::now() >= until) return taken;
    std::this_thread::sleep_for(kWait);
  }
}

int64_t written_s(const std::string& path) {
  constexpr int64_t kNsOfSecond = 1'000'000'000;
  const auto stamp = change_stamp_of(path);
  return stamp && *stamp ? (*stamp)->written_ns / kNsOfSecond : 0;
}

}  // namespace

Result<GameState> GameState::open(const std::string& place, const PlayedGame& game) {
  SKL_TRY(const auto above, state_place("play", place));
  const std::string name = "/" + state_name(game.key());
  if (!calls::is_there(above)) return GameState(above + name);
  // Checks the path as the user gave it: the canonical path no longer shows links.
  SKL_TRY_DO(check_holding_folder(above));
  GameState state(canonical_path(above) + name);
  if (!state.is_there()) return state;
  SKL_TRY_DO(check_own_folder(state.folder_));
  return state;
}

Result<GameState> GameState::open_there(const std::string& folder) {
  SKL_TRY_DO(check_own_folder(folder));
  return GameState(folder);
}

bool GameState::is_there() const {
  return calls::is_there(folder_);
}

Learned GameState::load(std::string& warning) const {
  const std::string path = folder_ + "/" + kLearnedFile;
  if (!calls::is_there(path)) return {};
  const auto text = read_own_text(path, kMostLearnedBytes);
  // A power cut leaves a new file empty if its bytes weren't on the disk yet.
  if (text && text->empty()) return {};
  auto learned = text ? parse_learned(*text, path) : std::unexpected(text.error());
  if (!learned) {
    warning = learned.error().message;
    return {};
  }
  Shadow& shadow = learned->shadow;
  const std::string file = shadow_path(shadow.file);
  if (shadow.file.empty() || !calls::is_there(file)) return *std::move(learned);
  if (auto opened = open_own_file(file); !opened) {
    warning = opened.error().message;
    shadow.sections.clear();
  }
  return *std::move(learned);
}

Result<void> GameState::save(Learned& learned) const {
  keep_within_bounds(learned);
  std::string text = to_text(learned);
  // A scenario is worth more than the places where reads begin.
  if (text.size() > kMostLearnedBytes) {
    for (LearnedScenario& scenario : learned.scenarios)
      for (SeenPage& seen : scenario.pages) seen.begins_read = false;
    text = to_text(learned);
  }
  while (text.size() > kMostLearnedBytes && make_smaller(learned)) text = to_text(learned);
  const std::string path = folder_ + "/" + kLearnedFile;
  // A new file isn't flushed: that takes a seek or two, and losing what one run taught does no
  // harm.
  const bool replaces = calls::is_there(path);
  return write_own_text(path, text, replaces);
}

Result<void> GameState::forget() const {
  if (!is_there()) return {};
  SKL_TRY(const auto entries, list_folder(folder_));
  for (const FolderEntry& entry : entries)
    if (is_of_state(entry)) SKL_TRY_DO(remove_file(folder_ + "/" + entry.name));
  remove_empty_folder(folder_);
  return {};
}

Result<void> GameState::lock(std::chrono::milliseconds most) {
  if (lock_) return {};
  SKL_TRY_DO(make_own_folders(folder_));
  SKL_TRY(auto taken, take_lock(folder_, most));
  // Another process may have created it meanwhile.
  SKL_TRY_DO(check_own_folder(folder_));
  lock_.emplace(std::move(taken));
  close_to_others(folder_);
  return clear_leftovers();
}

Result<void> GameState::lock_at_start() {
  // A process that lays out ends within a few milliseconds, unless it waits for a slow disk.
  constexpr auto kMostDelay = std::chrono::milliseconds(20);
  if (!is_there()) return {};
  if (lock(kMostDelay) || laying_out(folder_)) return {};
  return lock(std::chrono::milliseconds(0));
}

// Removes files that killed runs left. A shadow that was written but not noted before the end
// counts as half-written.
Result<void> GameState::clear_leftovers() const {
  SKL_TRY_DO(remove_leftovers(folder_));
  SKL_TRY(const auto entries, list_folder(folder_));
  const auto is_shadow = [](const FolderEntry& entry) {
    return !entry.is_folder && entry.name.starts_with(kShadowFront);
  };
  const auto shadows = std::ranges::count_if(entries, is_shadow);
  if (shadows == 0) return {};
  std::string warning;
  const std::string used = load(warning).shadow.file;
  for (const FolderEntry& entry : entries)
    if (is_shadow(entry) && entry.name != used) SKL_TRY_DO(remove_file(folder_ + "/" + entry.name));
  return {};
}

Result<void> GameState::note_played(const PlayedGame& game) const {
  return write_own_text(folder_ + "/" + kGameFile, note_of(game), false);
}

Result<void> GameState::note_crash() const {
  return write_own_text(folder_ + "/" + kCrashFile, "", false);
}

Result<void> GameState::forget_crash() const {
  return has_crashed() ? remove_file(folder_ + "/" + kCrashFile) : Result<void>();
}

bool GameState::has_crashed() const {
  return calls::is_there(folder_ + "/" + kCrashFile);
}

Result<void> GameState::note_advice(std::string_view text) const {
  return write_own_text(folder_ + "/" + kAdviceFile, text, false);
}

bool GameState::has_advice() const {
  return calls::is_there(folder_ + "/" + kAdviceFile);
}

// Returns nothing if the advice can't be noted as given, so that it isn't given again and again.
std::string GameState::take_advice() const {
  if (!has_advice()) return {};
  auto text = read_own_text(folder_ + "/" + kAdviceFile, kMostAdviceBytes);
  if (!text || text->empty() || !note_advice("")) return {};
  return *std::move(text);
}

bool GameState::is_noted(const PlayedGame& game) const {
  const auto text = read_own_text(folder_ + "/" + kGameFile, kMostGameBytes);
  return text && *text == note_of(game);
}

std::optional<KeptGame> kept_game(const std::string& folder) {
  if (!check_own_folder(folder)) return std::nullopt;
  const auto entries = list_folder(folder);
  if (!entries || std::ranges::none_of(*entries, is_of_state)) return std::nullopt;
  KeptGame kept = {.state = folder, .game = noted_game(folder)};
  for (const FolderEntry& entry : *entries) {
    if (entry.is_folder) continue;
    kept.size_bytes += entry.size_bytes;
    if (entry.name == kGameFile || entry.name == kLearnedFile)
      kept.used_s = std::max(kept.used_s, written_s(folder + "/" + entry.name));
  }
  kept.is_gone = !kept.game.folder.empty() && !calls::is_there(kept.game.folder);
  return kept;
}

}  // namespace seekless
