// Recognises anti-cheat software. It takes any foreign code in a game for a cheat, and may ban the
// player.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace seekless {

// Returns the protection that a file or folder with this name belongs to; case doesn't matter.
std::optional<std::string_view> anti_cheat_of_name(std::string_view name);

struct AntiCheatSearch {
  // The protection, and what shows it: "BattlEye (BattlEye/BEService.exe)".
  std::optional<std::string> found = {};
  // A folder that couldn't be searched, or holds too many names; empty if there is none.
  std::string unseen = {};
};

// Looks for such names in `folder` and two levels below it, deeper in folders that usually hold
// programs ("Binaries"), and beside the program. Looks into at most 200 of the second level's other
// folders.
AntiCheatSearch anti_cheat_beside(const std::string& folder, const std::string& program);
// Looks for such names in `folder`, which holds a program, below it in folders that usually hold
// programs, and in up to five folders above it: some ten folders in all. Stops at folders of many
// games, such as "Program Files".
AntiCheatSearch anti_cheat_around(const std::string& folder);

struct AntiCheatService {
  std::string_view name;  // of a service or driver of Windows
  std::string_view of;    // the protection
};

// Returns known services. Some of them watch all programs while they run.
std::span<const AntiCheatService> anti_cheat_services();

}  // namespace seekless
