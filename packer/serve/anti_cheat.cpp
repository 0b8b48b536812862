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
  std::string_view name;  // in lower case; file names begin with it
  std::string_view of;
};

// Protections put files and folders whose names begin like this into games.
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

// Protection usually lies near the top of a folder, or beside a program. The game waits for the
// search, and a cold disk takes some 10 ms for each folder. So only likely folders are searched
// below this depth, and only some of the second level's others: a game may have 1,000 mods.
constexpr size_t kMostDepth = 2;
constexpr size_t kMostOtherFolders = 200;
constexpr size_t kMostFoldersLookedAt = 2'000;
constexpr size_t kMostNamesLookedAt = 200'000;
constexpr std::array<std::string_view, 5> kFoldersOfPrograms = {"bin", "binaries", "win64", "x64",
                                                                "game"};
// These folders hold many games. Protection that one of the games has installed there, such as
// "C:/Program Files (x86)/EasyAntiCheat", says nothing about the others.
constexpr std::array<std::string_view, 9> kFoldersOfMany = {
    "program files", "program files (x86)", "programdata", "common",    "games",
    "epic games",    "gog games",           "users",       "xboxgames",
};
constexpr int kMostAbove = 5;

std::string in_lower_case(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), lower_case);
  return lower;
}

bool holds_programs(std::string_view name) {
  return std::ranges::find(kFoldersOfPrograms, in_lower_case(name)) != kFoldersOfPrograms.end();
}

bool holds_many_games(std::string_view folder) {
  const std::string_view name = file_name(folder);
  return name.empty() || name == "." || name.ends_with(':') ||
         std::ranges::find(kFoldersOfMany, in_lower_case(name)) != kFoldersOfMany.end();
}

class ProtectionSearch {
 public:
  ProtectionSearch(const std::string& top, size_t most_depth,
                   size_t most_others = kMostOtherFolders)
      : top_(top), most_depth_(most_depth), most_others_(most_others) {
    likely_.push_back({top, 0});
  }

  AntiCheatSearch run() {
    while (const auto folder = next()) {
      if (looked_++ == kMostFoldersLookedAt || !look_at(*folder))
        return {.found = {}, .unseen = top_};
      if (result_.found) break;
    }
    return std::move(result_);
  }

 private:
  struct FolderToLookAt {
    std::string path;
    size_t depth;
  };

  // Returns nothing at the end.
  std::optional<FolderToLookAt> next() {
    const bool are_others = likely_.empty();
    std::deque<FolderToLookAt>& from = are_others ? others_ : likely_;
    if (from.empty() || (are_others && looked_at_others_++ == most_others_)) return std::nullopt;
    FolderToLookAt folder = std::move(from.front());
    from.pop_front();
    return folder;
  }

  // Returns false if there are too many names.
  bool look_at(const FolderToLookAt& folder) {
    const auto entries = find_entries(folder.path);
    if (!entries) {
      result_.unseen = folder.path;
      return true;
    }
    if (entries->size() > names_left_) return false;
    names_left_ -= entries->size();
    for (const FolderEntry& entry : *entries) {
      std::string path = folder.path + "/" + entry.name;
      if (const auto of = anti_cheat_of_name(entry.name)) {
        result_ = {.found = fmt::format("{} ({})", *of, path.substr(top_.size() + 1)),
                   .unseen = {}};
        return true;
      }
      if (entry.is_folder && !entry.is_link && most_depth_ > 0)
        add({std::move(path), folder.depth + 1}, holds_programs(entry.name));
    }
    return true;
  }

  void add(FolderToLookAt folder, bool has_programs) {
    if (has_programs || folder.depth < most_depth_)
      likely_.push_back(std::move(folder));
    else if (folder.depth == most_depth_)
      others_.push_back(std::move(folder));
  }

  const std::string& top_;
  size_t most_depth_;
  size_t most_others_;
  std::deque<FolderToLookAt> likely_;
  std::deque<FolderToLookAt> others_;
  AntiCheatSearch result_;
  size_t looked_ = 0;
  size_t looked_at_others_ = 0;
  size_t names_left_ = kMostNamesLookedAt;
};

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
  AntiCheatSearch in_folder = ProtectionSearch(folder, kMostDepth).run();
  if (in_folder.found || program.empty()) return in_folder;
  const std::string own_folder(folder_above(program));
  AntiCheatSearch beside = ProtectionSearch(own_folder, 0).run();
  if (beside.unseen.empty()) beside.unseen = std::move(in_folder.unseen);
  return beside;
}

AntiCheatSearch anti_cheat_around(const std::string& folder) {
  AntiCheatSearch search = ProtectionSearch(folder, 1, 0).run();
  std::string above(folder_above(folder));
  for (int i = 0; i < kMostAbove && !search.found && !holds_many_games(above); ++i) {
    // A folder above that this user may not list says nothing about the game.
    if (auto found = ProtectionSearch(above, 0).run().found) search.found = std::move(found);
    above = folder_above(above);
  }
  return search;
}

std::span<const AntiCheatService> anti_cheat_services() {
  return kServices;
}

}  // namespace seekless
