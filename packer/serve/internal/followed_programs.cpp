#include "packer/serve/internal/followed_programs.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

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

bool is_launcher(std::string_view program) {
  return std::ranges::find(kLaunchers, one_windows_spelling(std::string(file_name(program)))) !=
         kLaunchers.end();
}

// A folder that can't be listed may be a launcher's.
bool is_of_launcher(const std::string& folder) {
  const auto entries = find_entries(folder);
  return !entries || std::ranges::any_of(*entries, [](const FolderEntry& entry) {
    return is_launcher(entry.name);
  });
}

bool is_root(std::string_view folder) {
  return folder.ends_with(':') || folder.ends_with('/') || folder == ".";
}

// Returns the program's protection, or a folder that couldn't be searched, or nothing. Searches
// each time, because an updater may install protection at any time.
std::optional<std::string> protection_of(const std::string& program) {
  if (const auto of = anti_cheat_of_name(file_name(program))) return std::string(*of);
  AntiCheatSearch search = anti_cheat_around(std::string(folder_above(program)));
  if (search.found) return std::move(search.found);
  if (search.unseen.empty()) return std::nullopt;
  return fmt::format("that {} can't be looked through", search.unseen);
}

}  // namespace

FollowedPrograms::FollowedPrograms(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) own_.push_back(one_windows_spelling(folder));
}

std::optional<std::string> FollowedPrograms::begins(const std::string& program,
                                                    const std::string& system_folder) {
  const std::string folder(folder_above(program));
  const std::string own = one_windows_spelling(folder);
  if (program.empty() || lies_in(own, one_windows_spelling(system_folder))) return std::nullopt;
  if (is_launcher(program))
    return "a launcher, which also starts games with protection against cheating";
  if (auto protection = protection_of(program)) return protection;
  if (!is_root(own) && !is_of_launcher(folder)) own_.push_back(own);
  return std::nullopt;
}

bool FollowedPrograms::follows(const std::string& program) const {
  const std::string spelled = one_windows_spelling(program);
  const auto holds_it = [&](const std::string& own) { return lies_in(spelled, own); };
  return std::ranges::any_of(own_, holds_it) && !is_launcher(program) && !protection_of(program);
}

}  // namespace seekless
