#include "packer/library/game_gain.h"

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/host/native_path.h"
#include "packer/words/figures.h"
#include "packer/words/shell_words.h"

namespace seekless {
namespace {

// A hard disk that jumps to each file and then streams it: seconds for each jump and byte.
constexpr double kJumpS = 0.012;
constexpr double kBytesPerS = 150e6;
// No load of such a game is worth waiting for.
constexpr double kShortS = 0.5;

double seconds_for_all(const GameContent& content) {
  return static_cast<double>(content.files) * kJumpS +
         static_cast<double>(content.bytes) / kBytesPerS;
}

std::string play_command(const FoundGame& game) {
  return "seekless play --auto " + shell_word(game.folder, shell_kind_here());
}

std::string with_words(std::string command, const std::vector<std::string>& words) {
  return words.empty() ? command : command + " " + shell_line(words, shell_kind_here());
}

GameGain play_gain(const FoundGame& game, std::string why) {
  GameGain gain = {.way = GameWay::play, .why = std::move(why)};
  const bool is_own = !game.is_flatpak;  // Flatpak's launchers can't start a program from outside
  if (is_own && game.launcher == Launcher::steam) {
    gain.where = "in Steam: the game's Properties, General, Launch Options";
    gain.command = "seekless play --auto --steam %command%";
  } else if (is_own && game.launcher == Launcher::heroic) {
    gain.where = "in Heroic: the game's Settings, Advanced, Wrapper command";
    gain.command = with_words(play_command(game), game.beside) + " --";
  } else if (is_own && game.launcher == Launcher::lutris) {
    gain.where = "in Lutris: the game's Configure, System options, Command prefix";
    gain.command = with_words(play_command(game), game.beside) + " --";
  } else {
    gain.where = game.is_flatpak ? "in a terminal, while the launcher is closed" : "in a terminal";
    gain.command = with_words(with_words(play_command(game), game.beside) + " --", game.command);
    if (game.command.empty()) gain.command += " COMMAND";
  }
  return gain;
}

GameGain record_gain(const FoundGame& game, std::string why) {
  return {
      .way = GameWay::record,
      .why = std::move(why),
      .where = "in a terminal",
      .command = "seekless record -o start.1.trace -- " +
                 (game.command.empty() ? "COMMAND" : shell_line(game.command, shell_kind_here()))};
}

GameGain advise_gain(const FoundGame& game, const GameKnown& known) {
  std::vector<std::string> words = {"advise", game.folder};
  words.insert(words.end(), known.recordings.begin(), known.recordings.end());
  return {.way = GameWay::record,
          .why = "it is recorded, and the command tells what helps most",
          .where = "in a terminal",
          .command = with_words("seekless", words)};
}

GameGain known_gain(const FoundGame& game, const GameKnown& known) {
  if (!known.is_laid_out)
    return {.way = GameWay::lay_out,
            .why = "its loads are known, but not laid out",
            .where = "in a terminal",
            .command = "seekless play --lay-out " + shell_word(game.folder, shell_kind_here())};
  return {.way = GameWay::playing,
          .why = "its loads are known and laid out",
          .where = "in a terminal, to see how much that helps",
          .command = "seekless play --status " + shell_word(game.folder, shell_kind_here())};
}

}  // namespace

std::string_view name_of(GameWay way) {
  switch (way) {
    case GameWay::play:
      return "play";
    case GameWay::lay_out:
      return "lay-out";
    case GameWay::playing:
      return "playing";
    case GameWay::record:
      return "record";
    case GameWay::none:
      break;
  }
  return "none";
}

GameGain gain_of(const FoundGame& game, const GameDisk& disk, const GameContent& content,
                 const GameKnown& known, bool has_play) {
  if (disk.is_rotational == false)
    return {.why = "it lies on an SSD, which loses no time by seeking"};
  if (content.files == 0) return {.why = "there are no files"};
  if (content.is_whole && seconds_for_all(content) < kShortS)
    return {.why = "it is so small that a hard disk reads all of it at once"};
  if (known.loads > 0 && has_play) return known_gain(game, known);
  std::string why = disk.is_rotational
                        ? "it lies on a hard disk"
                        : "if its disk is a hard disk, which the system doesn't tell";
  if (has_play) return play_gain(game, std::move(why));
  return known.recordings.empty() ? record_gain(game, std::move(why)) : advise_gain(game, known);
}

std::string main_content(const GameContent& content) {
  if (content.kinds.empty()) return "nothing";
  const GameFiles& most = content.kinds.front();
  switch (most.kind) {
    case ArchiveKind::zip:
      return "zips";
    case ArchiveKind::flat:
    case ArchiveKind::other:
      return most.what;
    case ArchiveKind::none:
      break;
  }
  return "loose files";
}

}  // namespace seekless
