// Recognises protection against cheating, which takes any foreign code in a game for a cheat, and
// may ban the player for it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace seekless {

// Returns the protection that a file or folder of this name belongs to, whatever its case.
std::optional<std::string_view> anti_cheat_of_name(std::string_view name);

// Looks for such names in the folder and two levels below it, and beside the program. Says which
// protection it is and what shows it: "BattlEye (BattlEye/BEService.exe)".
std::optional<std::string> anti_cheat_beside(const std::string& folder, const std::string& program);

// Names of services and drivers of Windows; some of them watch all programs while they run.
std::span<const std::string_view> anti_cheat_services();

}  // namespace seekless
