// Decides in which order to read what a scenario wants, so that the head sweeps once over the disk:
// pure arithmetic on ranges and on the places of files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/host/extents.h"
#include "packer/warm/wanted.h"

namespace seekless {

inline constexpr uint64_t kCachedPageBytes = 4096;

// A piece of a file that is read in one go.
struct WarmRead {
  uint32_t file = 0;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // at least 1
  // The wanted part; the rest is gaps that are cheaper to read than to skip.
  uint64_t wanted_bytes = 0;

  bool operator==(const WarmRead&) const = default;
};

// Returns reads sorted by device and place, in whole pages, nothing twice. `files[i]` is file i of
// the ranges, which are sorted by file and offset and don't touch. What lies beyond a file's end or
// in a hole is left out. Files without known places come last, by number. A gap of at most
// `gap_bytes` between two reads within one extent is read through.
std::vector<WarmRead> plan_warm(std::span<const FileExtents> files,
                                std::span<const WantedRange> ranges, uint64_t gap_bytes);

}  // namespace seekless
