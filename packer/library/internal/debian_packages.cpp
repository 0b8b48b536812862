#include "packer/library/internal/debian_packages.h"

#include <algorithm>
#include <utility>

#include "packer/base/paths.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr std::string_view kPrograms = "/usr/games/";
// Each folder in the first list's folders is a game's. In the second list's, only a folder with the
// package's name is.
constexpr std::string_view kGamesFolders[] = {"/usr/share/games/", "/usr/lib/games/"};
constexpr std::string_view kOtherFolders[] = {"/usr/share/", "/usr/lib/"};

std::string_view taken_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

// Returns the field's value if the line has that field.
std::string_view value_of(std::string_view line, std::string_view field) {
  if (!line.starts_with(field)) return {};
  line.remove_prefix(field.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

bool is_same_game(std::string_view folder, std::string_view package) {
  return folder.starts_with(package) || package.starts_with(folder);
}

// Returns the length of the part of the path that is a game's folder; 0 if none is.
size_t folder_length(std::string_view path, std::string_view package) {
  const auto below = [&](std::string_view above) -> std::string_view {
    if (!path.starts_with(above)) return {};
    const size_t slash = path.find('/', above.size());
    return slash == std::string_view::npos ? "" : path.substr(above.size(), slash - above.size());
  };
  for (const std::string_view above : kGamesFolders)
    if (const std::string_view name = below(above); !name.empty())
      return above.size() + name.size();
  for (const std::string_view above : kOtherFolders)
    if (const std::string_view name = below(above);
        name.size() > 2 && name != "games" && is_same_game(name, package))
      return above.size() + name.size();
  return 0;
}

}  // namespace

std::vector<DebianPackage> packages_of_games(std::string_view status) {
  std::vector<DebianPackage> packages;
  DebianPackage package;
  bool is_game = false;
  bool is_installed = false;
  const auto end_paragraph = [&] {
    if (is_game && is_installed && !package.name.empty()) packages.push_back(package);
    package = {};
    is_game = is_installed = false;
  };
  while (!status.empty()) {
    const std::string_view line = taken_line(status);
    if (line.empty()) end_paragraph();
    if (const auto value = value_of(line, "Package:"); !value.empty()) package.name = value;
    if (const auto value = value_of(line, "Architecture:"); !value.empty())
      package.architecture = value;
    if (const auto value = value_of(line, "Section:"); !value.empty())
      is_game = value == "games" || value.ends_with("/games");
    if (const auto value = value_of(line, "Status:"); !value.empty())
      is_installed = value.ends_with(" installed");
  }
  end_paragraph();
  return packages;
}

void add_package_list(std::string_view list, const std::string& package, DebianGames& games) {
  std::string_view last;
  while (!list.empty()) {
    const std::string_view path = taken_line(list);
    if (path.starts_with(kPrograms) && path.find('/', kPrograms.size()) == std::string_view::npos)
      games.programs.emplace_back(path);
    const std::string_view folder = path.substr(0, folder_length(path, package));
    if (folder.empty() || folder == last) continue;
    last = folder;
    std::vector<std::string>& packages = games.folders[std::string(folder)];
    if (packages.empty() || packages.back() != package) packages.push_back(package);
  }
}

std::string program_of_folder(std::string_view folder, const std::vector<std::string>& programs) {
  const std::string_view name = file_name(folder);
  const std::string* best = nullptr;
  for (const std::string& program : programs) {
    const std::string_view its_name = file_name(program);
    if (its_name.size() < name.size() || compare_folded(its_name.substr(0, name.size()), name) != 0)
      continue;
    if (best == nullptr || program.size() < best->size()) best = &program;
  }
  return best == nullptr ? "" : *best;
}

}  // namespace seekless
