// A pack that is too large, cut into several: clients that make one file after the other need no
// more room than the largest of them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/layout/layout.h"

namespace seekless {

// Names of packs that are taken, whatever their case.
class PackNames {
 public:
  void take(std::string_view name) { names_.emplace_back(name); }
  // `base`, or it with the lowest number from 2 on that makes it free: taken from then on.
  std::string take_free(const std::string& base);

 private:
  std::vector<std::string> names_;
};

// How large the parts are that a pack is cut into, so that a build can make one anew without the
// others: small beside all content, but so large that a jump more each costs sweeps next to
// nothing.
uint64_t part_bytes_of(uint64_t content_bytes, uint64_t read_through_bytes);

// `pack`, which has no places, in its order in parts: as large as each other and about
// `part_bytes`, half as much again if it would be one alone. None has more content than
// `most_bytes`, except where one asset has. The first keeps the name, which is taken; the others
// have it with numbers.
std::vector<LaidPack> split_pack(LaidPack pack, uint64_t part_bytes, uint64_t most_bytes,
                                 PackNames& names);

// Whether split_pack() may have called a part of the pack `whole` so.
bool is_part_of(std::string_view name, std::string_view whole);

}  // namespace seekless
