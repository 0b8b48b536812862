// Finds the scenarios that are a game's maps, by their names. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace seekless {

// Fewer maps don't show what maps have in common.
inline constexpr size_t kFewestMaps = 3;

// Returns the numbers of the scenarios that are maps: those in the folder with the most names
// ("map/rush", "map/island"). Later releases of a game may add maps. Returns nothing if that folder
// has fewer than kFewestMaps.
std::vector<uint32_t> find_maps(const std::vector<std::string>& scenarios);

}  // namespace seekless
