// Reads files so that they are in the operating system's memory when the game asks for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/sweep.h"
#include "packer/host/extents.h"

namespace seekless {

struct WarmOptions {
  uint64_t bytes_per_s = 0;  // 0: as fast as the disk gives them
  // Grows as the work goes on, by bytes of the reads; for a progress bar. May be null.
  std::atomic<uint64_t>* done_bytes = nullptr;
};

struct WarmReport {
  uint64_t reads = 0;
  uint64_t bytes = 0;          // of all reads, with gaps
  uint64_t wanted_bytes = 0;   // of these
  uint64_t cached_bytes = 0;   // that were in memory before
  uint64_t fetched_bytes = 0;  // that were read from the disk
  bool knows_cached = true;    // false: the system doesn't tell for a file of someone else
  double seconds = 0;
  bool was_stopped = false;           // by Ctrl-C
  std::vector<std::string> failures;  // one line each: what couldn't be read
};

// Of reads none of which was done.
WarmReport report_before(std::span<const SweepRead> reads);

// Reads in the order given, skipping what is in memory. A read that fails is noted, and the next
// one goes on.
WarmReport fill_cache(std::span<const FileExtents> files, std::span<const SweepRead> reads,
                      const WarmOptions& options);

}  // namespace seekless
