// Finds a game's folder from the path of its program. Pure.
#pragma once

#include <string>
#include <string_view>

namespace seekless {

// Returns the folder that the program lies in, without folders at its end that only hold programs:
// "/games/quake" for "/games/quake/bin/win64/quake.exe".
std::string folder_of_program(std::string_view program);

// Returns the path of a Windows program's path ("C:\Games\a.exe") in a Wine prefix, or a path with
// '/' as it is. Empty for a drive other than C: and Z:.
std::string path_in_prefix(const std::string& path, const std::string& prefix);

}  // namespace seekless
