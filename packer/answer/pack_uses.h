// Sums up what a scenario's sweep reads, needs and has as copies in each pack. Each byte counts
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// Holds three lists of ranges. What is copied is also needed, and what is needed is also read.
// Ranges lie within their packs' files, are sorted by pack and place, and don't overlap.
struct NestedReads {
  std::vector<PackRange> read;
  std::vector<PackRange> needed;
  std::vector<PackRange> copied;
};
NestedReads nested(const ScenarioReads& reads, const std::vector<PackReport>& packs);

struct PackUse {
  size_t pack = 0;  // index in Report::packs
  uint64_t read_bytes = 0;
  uint64_t needed_bytes = 0;  // part of the bytes read
  uint64_t copied_bytes = 0;  // part of the bytes needed
};

// Returns one entry for each pack that the scenario reads.
std::vector<PackUse> pack_uses(const ScenarioReads& reads, const std::vector<PackReport>& packs);

}  // namespace seekless
