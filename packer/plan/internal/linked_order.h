// Orders atoms by linking pairs: the pairs that are cheapest side by side are linked first.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace seekless {

// Fills in the distances from this item to all others. Distances are symmetric.
using DistancesFrom = std::function<void(uint32_t item, std::span<double> distances)>;

// Puts the items 0 to `count` - 1 in a row. The nearest pairs become neighbours, at most two for
// each item, until all items form one chain. Calls `distances_from` a few times for each item, and
// remembers only its nearest neighbours.
std::vector<uint32_t> linked_order(uint32_t count, const DistancesFrom& distances_from);

}  // namespace seekless
