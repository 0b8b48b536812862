// Sums up the bytes in each pack that a scenario's sweep reads, those that it needs, and those that
// are copies. Each byte counts once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// Holds three lists of ranges. Copied bytes are also needed, and needed bytes are also read. Ranges
// lie within their packs' files, are sorted by pack and place, and don't overlap.
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
