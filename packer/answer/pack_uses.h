// Sums up what a scenario's sweep reads, needs and has copied of each pack, each byte counted once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// Each list holds the next: what is copied is needed, and what is needed is read. Ranges lie within
// their packs' files, sorted by pack and place, without overlap.
struct NestedReads {
  std::vector<PackRange> read;
  std::vector<PackRange> needed;
  std::vector<PackRange> copied;
};
NestedReads nested(const ScenarioReads& reads, const std::vector<PackReport>& packs);

struct PackUse {
  size_t pack = 0;  // index in Report::packs
  uint64_t read_bytes = 0;
  uint64_t needed_bytes = 0;  // part of what is read
  uint64_t copied_bytes = 0;  // part of what is needed
};

// Packs that the scenario reads nothing of aren't in it.
std::vector<PackUse> pack_uses(const ScenarioReads& reads, const std::vector<PackReport>& packs);

}  // namespace seekless
