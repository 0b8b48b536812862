// Writes the text of a desktop entry, which starts a game by `seekless play` from the menu. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Returns the entry's text. Line ends in names become spaces.
std::string desktop_entry(const std::string& name, const std::vector<std::string>& command);
// Returns true if seekless wrote the entry, so that it may be removed.
bool is_own_desktop_entry(std::string_view text);

}  // namespace seekless
