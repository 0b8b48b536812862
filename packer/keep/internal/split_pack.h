// Splits a pack that is too large. Clients that rebuild one file after another then need only as
// much space as the largest part. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/layout/layout.h"

namespace seekless {

// Tracks the pack names in use, ignoring case.
class PackNames {
 public:
  void take(std::string_view name) { names_.emplace_back(name); }
  // Returns `base`, or `base` with the lowest free number from 2 on, and marks it as taken.
  std::string take_free(const std::string& base);

 private:
  std::vector<std::string> names_;
};

// Returns the size of the parts into which a pack is split, so that a build can remake one without
// the others. Parts are small compared with all content, but so large that their extra jumps cost
// sweeps almost nothing.
uint64_t part_bytes_of(uint64_t content_bytes, uint64_t read_through_bytes);

// Splits `pack`, which must have no places, into parts in its order. The parts have about equal
// sizes near `part_bytes`; a pack of up to 1.5 times that stays whole. No part has more than
// `most_bytes` of content, unless a single asset is larger. The first part keeps the name, which
// must be taken; the others get numbers appended.
std::vector<LaidPack> split_pack(LaidPack pack, uint64_t part_bytes, uint64_t most_bytes,
                                 PackNames& names);

// Returns true if split_pack() may have given this name to a part of the pack `whole`.
bool is_part_of(std::string_view name, std::string_view whole);

}  // namespace seekless
