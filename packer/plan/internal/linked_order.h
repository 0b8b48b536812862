// An order of atoms made of links: what is cheapest to have side by side is linked first.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace seekless {

// Fills in how far each item is from this one; as far as this one is from it.
using DistancesFrom = std::function<void(uint32_t item, std::span<double> distances)>;

// Puts the items 0 to `count` - 1 in a row: the pairs that are nearest become neighbours, each item
// with two at the most, until all are one chain. Asks for the distances from each item a few times,
// and keeps the nearest.
std::vector<uint32_t> linked_order(uint32_t count, const DistancesFrom& distances_from);

}  // namespace seekless
