// How long a read waits for a sweep that brings what it asks for.
#pragma once

#include <chrono>

namespace seekless {

// Waiting is worth it as long as it is cheaper than two seeks of the disk are, over a whole load.
// In pilots a cap of 100 ms halved the seeks; without one, a directory at an archive's end waited 5
// s. What is then fetched first takes some 20 ms more; where many wait, a read goes its own way
// after as long as that.
inline constexpr auto kLongestWait = std::chrono::milliseconds(80);
inline constexpr auto kLongestHurry = std::chrono::milliseconds(30);

}  // namespace seekless
