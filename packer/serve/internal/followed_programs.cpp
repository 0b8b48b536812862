#include "packer/serve/internal/followed_programs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "packer/base/paths.h"
#include "packer/base/windows_names.h"
#include "packer/host/folder_entries.h"
#include "packer/serve/anti_cheat.h"

namespace seekless {
namespace {

// Programs that keep games of many makers below their own folder; in one_windows_spelling().
constexpr std::array<std::string_view, 12> kLaunchers = {"steam.exe",
                                                         "galaxyclient.exe",
                                                         "epicgameslauncher.exe",
                                                         "eadesktop.exe",
                                                         "origin.exe",
                                                         "upc.exe",
                                                         "ubisoftconnect.exe",
                                                         "battle.net.exe",
                                                         "heroic.exe",
                                                         "playnite.desktopapp.exe",
                                                         "itch.exe",
                                                         "amazon games.exe"};

// A folder that can't be listed may be a launcher's.
bool is_of_launcher(const std::string& folder) {
  const auto entries = find_entries(folder);
  return !entries || std::ranges::any_of(*entries, [](const FolderEntry& entry) {
    return std::ranges::find(kLaunchers, one_windows_spelling(entry.name)) != kLaunchers.end();
  });
}

bool may_hold_protection(const AntiCheatSearch& search) {
  return search.found || !search.unseen.empty();
}

bool is_root(std::string_view folder) {
  return folder.ends_with(':') || folder.ends_with('/') || folder == ".";
}

}  // namespace

FollowedPrograms::FollowedPrograms(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) own_.push_back(one_windows_spelling(folder));
}

void FollowedPrograms::begins(const std::string& program, const std::string& system_folder) {
  const std::string folder(folder_above(program));
  const std::string own = one_windows_spelling(folder);
  if (program.empty() || is_root(own) || lies_in(own, one_windows_spelling(system_folder)) ||
      is_of_launcher(folder))
    return;
  own_.push_back(own);
}

bool FollowedPrograms::lies_in_own(const std::string& path) const {
  const std::string spelled = one_windows_spelling(path);
  return std::ranges::any_of(own_, [&](const std::string& own) { return lies_in(spelled, own); });
}

bool FollowedPrograms::has_protection_around(const std::string& folder) {
  const auto [known, is_new] = are_protected_.emplace(one_windows_spelling(folder), true);
  if (!is_new) return known->second;
  if (may_hold_protection(anti_cheat_beside(folder, ""))) return true;
  // Games keep their programs some levels below the folder that holds their protection.
  for (std::string above(folder_above(folder)); lies_in_own(above); above = folder_above(above))
    if (may_hold_protection(anti_cheat_in(above))) return true;
  known->second = false;
  return false;
}

bool FollowedPrograms::follows(const std::string& program) {
  return !anti_cheat_of_name(file_name(program)) && lies_in_own(program) &&
         !has_protection_around(std::string(folder_above(program)));
}

}  // namespace seekless
