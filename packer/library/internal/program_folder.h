// Finds a game's folder from the path of its program. Pure.
#pragma once

#include <string>
#include <string_view>

namespace seekless {

// Returns the folder that the program lies in, without folders at its end that only hold programs:
// "/games/quake" for "/games/quake/bin/win64/quake.exe".
std::string folder_of_program(std::string_view program);

// Converts a Windows path ("C:\Games\a.exe") in a Wine prefix to the system's. Returns a path with
// '/' unchanged. Empty for a drive other than C: and Z:.
std::string path_in_prefix(const std::string& path, const std::string& prefix);

}  // namespace seekless
