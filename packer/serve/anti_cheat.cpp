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

constexpr std::array<std::string_view, 14> kServices = {
    "EasyAntiCheat", "EasyAntiCheat_EOS", "EasyAntiCheatSys",
    "BEService",     "BEDaisy",           "vgc",
    "vgk",           "atvi-randgrid_sr",  "FACEIT",
    "FACEITService", "PnkBstrA",          "PnkBstrB",
    "ACE-BASE",      "EAAntiCheatService"};

// The game waits for this, and its protection lies near the top.
constexpr size_t kMostDepth = 2;
constexpr size_t kMostFoldersLookedAt = 100;
constexpr size_t kMostNamesLookedAt = 20'000;

std::optional<std::string> found_in(const std::string& folder, size_t most_depth) {
  std::deque<std::pair<std::string, size_t>> folders = {{folder, 0}};
  size_t entries_left = kMostNamesLookedAt;
  for (size_t looked = 0; !folders.empty() && looked < kMostFoldersLookedAt; ++looked) {
    const auto [in, depth] = std::move(folders.front());
    folders.pop_front();
    const auto entries = find_entries(in);
    if (!entries) continue;
    for (const FolderEntry& entry : *entries) {
      if (entries_left-- == 0) return std::nullopt;
      const std::string path = in + "/" + entry.name;
      if (const auto of = anti_cheat_of_name(entry.name))
        return fmt::format("{} ({})", *of, path.substr(folder.size() + 1));
      if (entry.is_folder && !entry.is_link && depth < most_depth)
        folders.emplace_back(path, depth + 1);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> anti_cheat_of_name(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), lower_case);
  const auto found = std::ranges::find_if(
      kKnownNames, [&](const KnownName& known) { return lower.starts_with(known.name); });
  if (found == kKnownNames.end()) return std::nullopt;
  return found->of;
}

std::optional<std::string> anti_cheat_beside(const std::string& folder,
                                             const std::string& program) {
  if (const auto of = anti_cheat_of_name(file_name(program)))
    return fmt::format("{} ({})", *of, file_name(program));
  if (auto found = found_in(folder, kMostDepth)) return found;
  const size_t slash = program.rfind('/');
  const std::string beside = slash == std::string::npos ? "." : program.substr(0, slash);
  return found_in(beside, 0);
}

std::span<const std::string_view> anti_cheat_services() {
  return kServices;
}

}  // namespace seekless
