// Finds all files that an emulator reads when it is given one, because a sheet such as .cue or .m3u
// names others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Returns the files that a sheet names, relative to its folder or absolute, in their order. `file`
// is the sheet's name: its ending tells the kind (.cue, .gdi, .m3u, .m3u8, .ccd, .mds). Returns
// nothing for other files. Pure.
std::vector<std::string> files_of_sheet(std::string_view file, std::string_view text);

// Returns the canonical paths of `file` and of all existing files that it names, also through
// sheets in a list. At most `kMostDiscFiles`, in the order in which they are named.
inline constexpr size_t kMostDiscFiles = 64;
std::vector<std::string> disc_set(const std::string& file);

// Returns the paths, with each file replaced by its disc set. Folders stay as they are.
std::vector<std::string> with_disc_sets(const std::vector<std::string>& paths);

}  // namespace seekless
