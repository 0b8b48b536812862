#include "packer/serve/anti_cheat.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "packer/base/ascii.h"
#include "packer/base/paths.h"
#include "packer/host/folder_entries.h"

namespace seekless {
namespace {

struct KnownName {
  std::string_view name;  // in lower case; the front of the file's name
  std::string_view of;
};

// Names of files and folders that such protections put into games.
constexpr std::array kKnownNames = {
    KnownName{"easyanticheat", "Easy Anti-Cheat"},
    KnownName{"start_protected_game", "Easy Anti-Cheat"},
    KnownName{"battleye", "BattlEye"},
    KnownName{"beservice", "BattlEye"},
    KnownName{"beclient", "BattlEye"},
    KnownName{"bedaisy", "BattlEye"},
    KnownName{"vgk.sys", "Riot Vanguard"},
    KnownName{"vgc.exe", "Riot Vanguard"},
    KnownName{"riotclientservices", "Riot Vanguard"},
    KnownName{"valorant-win64", "Riot Vanguard"},
    KnownName{"cs2.exe", "Valve Anti-Cheat"},
    KnownName{"csgo.exe", "Valve Anti-Cheat"},
    KnownName{"randgrid.sys", "Ricochet"},
    KnownName{"gameguard", "nProtect GameGuard"},
    KnownName{"npggnt", "nProtect GameGuard"},
    KnownName{"xigncode", "XIGNCODE3"},
    KnownName{"x3.xem", "XIGNCODE3"},
    KnownName{"anticheatexpert", "Anti-Cheat Expert"},
    KnownName{"ace-base", "Anti-Cheat Expert"},
    KnownName{"equ8", "EQU8"},
    KnownName{"pbcl.dll", "PunkBuster"},
    KnownName{"pbsvc", "PunkBuster"},
    KnownName{"pnkbstr", "PunkBuster"},
    KnownName{"ehsvc.dll", "HackShield"},
    KnownName{"blackcipher", "BlackCipher"},
    KnownName{"mhyprot", "HoYoverse's protection"},
    KnownName{"hoyokprotect", "HoYoverse's protection"},
    KnownName{"denuvo-anti-cheat", "Denuvo Anti-Cheat"},
    KnownName{"faceit", "FACEIT"},
    KnownName{"eaanticheat", "EA Anti-Cheat"},
    KnownName{"nac.sys", "NetEase's protection"},
};

constexpr std::array kServices = {
    AntiCheatService{"EasyAntiCheat", "Easy Anti-Cheat"},
    AntiCheatService{"EasyAntiCheat_EOS", "Easy Anti-Cheat"},
    AntiCheatService{"EasyAntiCheatSys", "Easy Anti-Cheat"},
    AntiCheatService{"BEService", "BattlEye"},
    AntiCheatService{"BEDaisy", "BattlEye"},
    AntiCheatService{"vgc", "Riot Vanguard"},
    AntiCheatService{"vgk", "Riot Vanguard"},
    AntiCheatService{"atvi-randgrid_sr", "Ricochet"},
    AntiCheatService{"FACEIT", "FACEIT"},
    AntiCheatService{"FACEITService", "FACEIT"},
    AntiCheatService{"PnkBstrA", "PunkBuster"},
    AntiCheatService{"PnkBstrB", "PunkBuster"},
    AntiCheatService{"ACE-BASE", "Anti-Cheat Expert"},
    AntiCheatService{"EAAntiCheatService", "EA Anti-Cheat"},
};

// The game waits for this, and its protection lies near the top, or beside its program.
constexpr size_t kMostDepth = 2;
constexpr size_t kMostFoldersLookedAt = 100;
constexpr size_t kMostNamesLookedAt = 20'000;
constexpr std::array<std::string_view, 5> kFoldersOfPrograms = {"bin", "binaries", "win64", "x64",
                                                                "game"};

std::string in_lower_case(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), lower_case);
  return lower;
}

struct FolderToLookAt {
  std::string path;
  size_t depth;
};

bool is_looked_into(const FolderEntry& entry, size_t depth, size_t most_depth) {
  if (!entry.is_folder || entry.is_link || most_depth == 0) return false;
  return depth <= most_depth || std::ranges::find(kFoldersOfPrograms, in_lower_case(entry.name)) !=
                                    kFoldersOfPrograms.end();
}

AntiCheatSearch search(const std::string& folder, size_t most_depth) {
  std::deque<FolderToLookAt> folders = {{folder, 0}};
  AntiCheatSearch result;
  size_t names_left = kMostNamesLookedAt;
  for (size_t looked = 0; !folders.empty(); ++looked) {
    if (looked == kMostFoldersLookedAt) return {.found = {}, .unseen = folder};
    const auto [in, depth] = std::move(folders.front());
    folders.pop_front();
    const auto entries = find_entries(in);
    if (!entries) result.unseen = in;
    if (!entries) continue;
    for (const FolderEntry& entry : *entries) {
      if (names_left-- == 0) return {.found = {}, .unseen = folder};
      std::string path = in + "/" + entry.name;
      if (const auto of = anti_cheat_of_name(entry.name))
        return {.found = fmt::format("{} ({})", *of, path.substr(folder.size() + 1)), .unseen = {}};
      if (is_looked_into(entry, depth + 1, most_depth))
        folders.push_back({std::move(path), depth + 1});
    }
  }
  return result;
}

}  // namespace

std::optional<std::string_view> anti_cheat_of_name(std::string_view name) {
  const std::string lower = in_lower_case(name);
  const auto found = std::ranges::find_if(
      kKnownNames, [&](const KnownName& known) { return lower.starts_with(known.name); });
  if (found == kKnownNames.end()) return std::nullopt;
  return found->of;
}

AntiCheatSearch anti_cheat_beside(const std::string& folder, const std::string& program) {
  if (const auto of = anti_cheat_of_name(file_name(program)))
    return {.found = fmt::format("{} ({})", *of, file_name(program)), .unseen = {}};
  AntiCheatSearch in_folder = search(folder, kMostDepth);
  if (in_folder.found || program.empty()) return in_folder;
  AntiCheatSearch beside = search(std::string(folder_above(program)), 0);
  if (beside.unseen.empty()) beside.unseen = std::move(in_folder.unseen);
  return beside;
}

std::span<const AntiCheatService> anti_cheat_services() {
  return kServices;
}

}  // namespace seekless
