// Finds Lutris' games: its database has their names and usually their folders, and each game's YAML
// file has its program and Wine prefix.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/library/internal/launchers.h"
#include "packer/library/internal/lutris_games.h"
#include "packer/library/internal/program_folder.h"
#include "packer/library/internal/yaml.h"

namespace seekless {
namespace {

struct LutrisSettings {
  std::string program;
  std::string prefix;  // the Wine prefix, or empty
  std::string file;    // the YAML file; empty if there is none
};

// Reads the game's YAML file, in the folder that Lutris uses today or in its former one.
LutrisSettings lutris_settings(const LauncherRoot& root, const LutrisGame& game,
                               GameCollector& found) {
  LutrisSettings settings;
  if (!is_one_name(game.config)) return settings;
  for (const std::string& folder : {root.folder, root.settings}) {
    const std::string file = folder + "/games/" + game.config + ".yml";
    if (!found.has_file(file)) continue;
    auto text = read_text(file, kMostManifestBytes);
    if (found.value_or_fault(text) == nullptr) return settings;
    auto tree = parse_yaml(*text, file);
    const TextNode* yaml = found.value_or_fault(tree);
    const TextNode* section = yaml == nullptr ? nullptr : yaml->find("game");
    if (section == nullptr) return settings;
    return {.program = section->text("exe"), .prefix = section->text("prefix"), .file = file};
  }
  return settings;
}

std::string folder_of_lutris_game(const LutrisGame& game, const LutrisSettings& settings,
                                  GameCollector& found) {
  if (found.has_folder(game.folder)) return game.folder;
  const std::string program = path_in_prefix(settings.program, settings.prefix);
  return program.starts_with('/') ? folder_of_program(program) : game.folder;
}

void add_lutris_game(const LauncherRoot& root, const std::string& database, LutrisGame game,
                     GameCollector& found) {
  if (game.runner == "steam" || game.runner == "browser" || game.runner == "web") return;
  const LutrisSettings settings = lutris_settings(root, game, found);
  std::string folder = folder_of_lutris_game(game, settings, found);
  if (folder.empty()) return;  // for example, the game is a single file of an emulator
  std::vector<std::string> beside;
  if (settings.prefix.starts_with('/') && !lies_in(settings.prefix, folder))
    beside.push_back(settings.prefix);
  std::vector<std::string> command;
  if (root.is_flatpak)
    command = {"flatpak", "run", "net.lutris.Lutris", "lutris:rungame/" + game.slug};
  found.add({.launcher = Launcher::lutris,
             .is_flatpak = root.is_flatpak,
             .id = game.slug,
             .name = game.name.empty() ? game.slug : std::move(game.name),
             .folder = std::move(folder),
             .manifest = database,
             .beside = std::move(beside),
             .command = std::move(command)});
}

}  // namespace

void find_lutris_games(const LauncherRoot& root, GameCollector& found) {
  const std::string database = root.folder + "/pga.db";
  if (!found.has_file(database) || !found.is_new(database)) return;
  auto games = read_lutris_games(database);
  auto* listed = found.value_or_fault(games);
  if (listed == nullptr) return;
  for (LutrisGame& game : *listed) add_lutris_game(root, database, std::move(game), found);
}

}  // namespace seekless
