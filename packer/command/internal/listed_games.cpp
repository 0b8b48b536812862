#include "packer/command/internal/listed_games.h"

#include <utility>

#include "packer/base/in_parallel.h"
#include "packer/command/internal/play_system.h"
#include "packer/host/block_device.h"
#include "packer/host/child_process.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/library/find_games.h"
#include "packer/library/launcher_roots.h"

namespace seekless {
namespace {

// Folders are looked at while the disk answers for others.
constexpr size_t kLookingThreads = 4;

bool is_trace_name(std::string_view name) {
  return name.ends_with(".trace") || name.ends_with(".jsonl") || name.ends_with(".jsonl.lz4");
}

void add_recordings(const std::string& folder, ListedGame& listed) {
  if (folder.empty()) return;
  const auto kind = known_kind_of_path(folder);
  if (!kind) listed.content.unread = kind.error().message;
  if (!kind || *kind != PathKind::folder) return;
  const auto entries = list_folder(folder);
  if (!entries) {
    listed.content.unread = entries.error().message;
    return;
  }
  for (const FolderEntry& entry : *entries)
    if (!entry.is_folder && !entry.is_link && is_trace_name(entry.name))
      listed.known.recordings.push_back(folder + "/" + entry.name);
}

// On Windows, the tool lies where its zip was unpacked, and launchers don't find it by its name.
void name_program_wholly(GameGain& gain) {
  if (has_windows_names() && !gain.where.starts_with("in a terminal"))
    gain.command = with_program(gain.command, own_program());
}

// Adds the recordings to what `play` knows, and judges.
void add_known(ListedGame& listed) {
  add_recordings(recordings_folder(listed.game.folder), listed);
  add_recordings(listed.game.folder + "/traces", listed);
  listed.gain = gain_of(listed.game, listed.disk, listed.content, listed.known, can_lay_out());
  name_program_wholly(listed.gain);
}

ListedGame looked_at(FoundGame game, GameKnown known) {
  const FoundDrive drive = drive_of_path(game.folder);
  ListedGame listed = {
      .game = std::move(game),
      .disk = {.is_rotational = drive.is_rotational, .description = drive.description},
      .content = {},
      .known = std::move(known),
      .gain = {}};
  listed.content = look_at_content(listed.game.folder);
  add_known(listed);
  return listed;
}

}  // namespace

std::string recordings_folder(const std::string& game_folder) {
  const auto place = state_place("recordings", "");
  return place ? *place + "/" + state_name(game_folder) : "";
}

void look_again(ListedGame& listed) {
  listed.known = {};
  if (const auto known = known_games(); known && known->contains(listed.game.folder))
    listed.known = known->at(listed.game.folder);
  add_known(listed);
}

GameStart start_of_game(const std::string& folder) {
  const std::string canonical = canonical_path(folder);
  for (const FoundGame& game : find_games(launcher_roots()).games)
    if (game.folder == canonical) return {.command = game.command, .beside = game.beside};
  return {};
}

GamesAnswer list_games() {
  FoundGames found = find_games(launcher_roots());
  GamesAnswer answer;
  for (const LauncherFault& fault : found.faults) answer.faults.push_back(fault.message);
  const auto known = known_games();
  if (!known) answer.faults.push_back(known.error().message);
  answer.games.resize(found.games.size());
  in_parallel(found.games.size(), kLookingThreads, [&](size_t number, size_t) {
    FoundGame& game = found.games[number];
    GameKnown of;
    if (known && known->contains(game.folder)) of = known->at(game.folder);
    answer.games[number] = looked_at(std::move(game), std::move(of));
  });
  std::erase_if(answer.games, [](const ListedGame& one) {
    return one.game.launcher == Launcher::debian && one.content.files == 0;
  });
  sort_games(answer.games);
  for (const ListedGame& one : answer.games)
    if (!one.content.unread.empty()) answer.faults.push_back(one.content.unread);
  return answer;
}

}  // namespace seekless
