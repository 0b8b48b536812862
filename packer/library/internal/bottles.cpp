// Finds the programs of Bottles: each bottle is a Wine prefix with a file bottle.yml, which lists
// the programs that the user added.
#include <string>
#include <utility>
#include <vector>

#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/library/internal/launchers.h"
#include "packer/library/internal/program_folder.h"
#include "packer/library/internal/yaml.h"

namespace seekless {
namespace {

struct Bottle {
  std::string folder;  // a Wine prefix
  std::string file;
  std::string name;
};

std::vector<std::string> start_by_bottles(const LauncherRoot& root, const Bottle& bottle,
                                          const std::string& program) {
  std::vector<std::string> words;
  if (root.is_flatpak)
    words = {"flatpak", "run", "--command=bottles-cli", "com.usebottles.bottles"};
  else
    words = {"bottles-cli"};
  words.insert(words.end(), {"run", "-b", bottle.name, "-p", program});
  return words;
}

void add_program(const LauncherRoot& root, const Bottle& bottle, const TextNode& program,
                 GameCollector& found) {
  const std::string removed = program.text("removed");
  if (!program.is_section || removed == "true" || removed == "True") return;
  const std::string path = path_in_prefix(program.text("path"), bottle.folder);
  std::string folder = path.starts_with('/') ? folder_of_program(path) : program.text("folder");
  if (folder.empty()) return;
  std::string name = program.text("name");
  if (name.empty()) name = program.key;
  found.add({.launcher = Launcher::bottles,
             .is_flatpak = root.is_flatpak,
             .id = bottle.name + "/" + name,
             .name = name,
             .folder = std::move(folder),
             .manifest = bottle.file,
             .beside = {bottle.folder},
             .command = start_by_bottles(root, bottle, name)});
}

void add_bottle(const LauncherRoot& root, const std::string& folder, GameCollector& found) {
  const std::string file = folder + "/bottle.yml";
  if (!found.has_file(file) || !found.is_new(file)) return;
  auto text = read_text(file, kMostManifestBytes);
  if (found.value_or_fault(text) == nullptr) return;
  auto tree = parse_yaml(*text, file);
  const TextNode* yaml = found.value_or_fault(tree);
  const TextNode* programs = yaml == nullptr ? nullptr : yaml->find("External_Programs");
  if (programs == nullptr) return;
  Bottle bottle = {.folder = folder, .file = file, .name = yaml->text("Name")};
  if (bottle.name.empty()) bottle.name = file_name(folder);
  for (const TextNode& program : programs->children) add_program(root, bottle, program, found);
}

// Returns the user's own folder for bottles, for example on another disk, if there is one.
std::string folder_of_own_choice(const LauncherRoot& root, GameCollector& found) {
  const std::string file = root.folder + "/data.yml";
  if (!found.has_file(file) || !found.is_new(file)) return {};
  auto text = read_text(file, kMostManifestBytes);
  if (found.value_or_fault(text) == nullptr) return {};
  auto tree = parse_yaml(*text, file);
  const TextNode* yaml = found.value_or_fault(tree);
  return yaml == nullptr ? "" : yaml->text("custom_bottles_path");
}

void add_bottles_in(const LauncherRoot& root, const std::string& folder, GameCollector& found) {
  if (!found.has_folder(folder) || !found.is_new(folder)) return;
  auto entries = list_folder(folder);
  const auto* listed = found.value_or_fault(entries);
  if (listed == nullptr) return;
  for (const FolderEntry& entry : *listed)
    if (entry.is_folder) add_bottle(root, folder + "/" + entry.name, found);
}

}  // namespace

void find_bottles_games(const LauncherRoot& root, GameCollector& found) {
  if (!found.has_folder(root.folder)) return;
  add_bottles_in(root, root.folder + "/bottles", found);
  if (const std::string own = folder_of_own_choice(root, found); own.starts_with('/'))
    add_bottles_in(root, own, found);
}

}  // namespace seekless
