// Bounds what is kept of learned runs, so that its file takes little memory and time to read, and
// doesn't grow with each session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "packer/foresee/learned.h"

namespace seekless {

// The limit of pages in all scenarios together, and again in everything laid out: 16 GiB. A page of
// a scenario takes 16 bytes of memory, and some 50 more while it is looked up.
inline constexpr uint64_t kMostLearnedPages = uint64_t{1} << 22;
// All maps of a game with this many are learned. A game that loads something else each time doesn't
// fill the file with scenarios that never recur.
inline constexpr size_t kMostScenarios = 256;
inline constexpr size_t kMostLearnedCommands = 64;
// The limit of names, and again of all scenarios' names together: some 4 MB of the file.
inline constexpr uint64_t kMostLearnedNames = uint64_t{1} << 16;
// The limit of the file's size: parsed, JSON takes up to twenty times as much memory.
inline constexpr uint64_t kMostLearnedBytes = uint64_t{16} << 20;

// Forgets files of which no run has read anything, names that no run looked up, and files and names
// that are gone from the game's folder. Renumbers the others.
void drop_unread(Learned& learned, const std::function<bool(const std::string&)>& is_there);

// Drops the scenarios that were run least, until the rest is within the bounds.
void keep_within_bounds(Learned& learned);
// Drops the scenario that was run least, the oldest of several, but never the newest of all, which
// has had no time to be run. If there is only one scenario, drops half of its pages instead. If no
// pages are left, drops all names; if no names are left either, the shadow's sections. Returns true
// if there was anything to drop.
bool make_smaller(Learned& learned);

}  // namespace seekless
