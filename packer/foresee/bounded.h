// How much is kept of what runs have taught: no file of it takes much memory or time to read, and
// none grows with each session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "packer/foresee/learned.h"

namespace seekless {

// Of all scenarios together, and again of all that is laid out: 16 GiB. A page of a scenario takes
// 16 bytes of memory, and some 50 more while it is looked up.
inline constexpr uint64_t kMostLearnedPages = uint64_t{1} << 22;
// A game of so many maps has them learned; one that loads something else each time doesn't fill the
// file with what never comes again.
inline constexpr size_t kMostScenarios = 256;
// Of the file: parsed, JSON takes up to twenty times as much memory.
inline constexpr uint64_t kMostLearnedBytes = uint64_t{16} << 20;

// Forgets files of which no run has read anything, and what is gone from the game's folder. The
// others are numbered anew.
void drop_unread(Learned& learned, const std::function<bool(const std::string&)>& is_there);

// Leaves out what was run least, until the rest is within the bounds.
void keep_within_bounds(Learned& learned);
// Leaves out the scenario that was run least, the oldest of such, but not the newest of all, which
// has had no time to be run; of a single one, half of it.
// Whether there was anything to leave out.
bool make_smaller(Learned& learned);

}  // namespace seekless
