// Orders atoms by linking pairs: the pairs that are cheapest side by side are linked first.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace seekless {

// Fills in the distance from this item to each other one. Distances are symmetric.
using DistancesFrom = std::function<void(uint32_t item, std::span<double> distances)>;

// Puts the items 0 to `count` - 1 in a row. The nearest pairs become neighbours, at most two for
// each item, until all items form one chain. Asks for the distances from each item a few times and
// keeps the nearest.
std::vector<uint32_t> linked_order(uint32_t count, const DistancesFrom& distances_from);

}  // namespace seekless
