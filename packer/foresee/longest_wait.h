// Limits how long a read waits for a sweep to fetch its data.
#pragma once

#include <chrono>

namespace seekless {

// Waiting pays as long as it costs less than two seeks, over a whole load. In pilots a limit of 100
// ms halved the seeks; without a limit, a read of a directory at an archive's end waited 5 s.
// Fetching such data first takes some 20 ms more. If many reads wait, each is served directly after
// this time.
inline constexpr auto kLongestWait = std::chrono::milliseconds(80);
inline constexpr auto kLongestHurry = std::chrono::milliseconds(30);

}  // namespace seekless
