// Which scenarios are a game's maps. Names in, numbers out. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace seekless {

// Of so few maps nobody can say what they have in common.
inline constexpr size_t kFewestMaps = 3;

// Numbers of the scenarios that are maps, of which a game gets more: of the folder that most names
// are in ("map/rush", "map/island"); none if that is fewer than kFewestMaps.
std::vector<uint32_t> find_maps(const std::vector<std::string>& scenarios);

}  // namespace seekless
