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
    gain.needs_program = game.command.empty();
    if (gain.needs_program) gain.command += " GAME";
  }
  return gain;
}

GameGain known_gain(const FoundGame& game, const GameKnown& known, bool can_lay_out) {
  if (!known.is_laid_out && can_lay_out)
    return {.way = GameWay::lay_out,
            .why = "its loads are known, but not laid out",
            .where = "in a terminal",
            .command = "seekless play --lay-out " + shell_word(game.folder, shell_kind_here())};
  return {.way = GameWay::playing,
          .why = can_lay_out ? "its loads are known and laid out" : "its loads are known",
          .where = "in a terminal, to see how much that helps",
          .command = "seekless play --status " + shell_word(game.folder, shell_kind_here())};
}

}  // namespace

double seconds_for_all(const GameContent& content) {
  return static_cast<double>(content.files) * kJumpS +
         static_cast<double>(content.bytes) / kBytesPerS;
}

std::string_view name_of(GameWay way) {
  switch (way) {
    case GameWay::play:
      return "play";
    case GameWay::lay_out:
      return "lay-out";
    case GameWay::playing:
      return "playing";
    case GameWay::none:
      break;
  }
  return "none";
}

GameGain gain_of(const FoundGame& game, const GameDisk& disk, const GameContent& content,
                 const GameKnown& known, bool can_lay_out) {
  if (disk.is_rotational == false)
    return {.why = "it lies on an SSD, which loses no time by seeking"};
  if (content.files == 0) return {.why = "there are no files"};
  if (content.is_whole && seconds_for_all(content) < kShortS)
    return {.why = "it is so small that a hard disk reads all of it at once"};
  if (known.loads > 0) return known_gain(game, known, can_lay_out);
  std::string why = disk.is_rotational
                        ? "it lies on a hard disk"
                        : "if its disk is a hard disk, which the system doesn't tell";
  return play_gain(game, std::move(why));
}

std::string compare_command(const FoundGame& game, const GameKnown& known) {
  if (known.recordings.empty()) return {};
  return "seekless advise " + shell_word(game.folder, shell_kind_here()) + " " +
         shell_line(known.recordings, shell_kind_here());
}

std::string with_program(const std::string& command, const std::string& program) {
  constexpr std::string_view kOwnName = "seekless ";
  if (!command.starts_with(kOwnName)) return command;
  return shell_word(program, shell_kind_here()) + " " + command.substr(kOwnName.size());
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
