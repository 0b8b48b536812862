// Reads files, so that they are in the operating system's memory when the game asks for them.
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
  uint64_t bytes_per_s = 0;  // 0: as fast as the disk can
  // Grows with the work, in bytes of the reads; for a progress bar. May be null.
  std::atomic<uint64_t>* done_bytes = nullptr;
};

struct WarmReport {
  uint64_t reads = 0;
  uint64_t bytes = 0;          // bytes of all reads, gaps included
  uint64_t wanted_bytes = 0;   // the wanted part of these bytes
  uint64_t cached_bytes = 0;   // bytes that were in memory before
  uint64_t fetched_bytes = 0;  // bytes that were read from the disk
  // False if the system doesn't tell, because the file belongs to another user.
  bool knows_cached = true;
  double seconds = 0;
  bool was_stopped = false;           // Ctrl-C stopped it
  std::vector<std::string> failures;  // the reads that failed, one line each
};

// Returns a report for reads that haven't begun.
WarmReport report_before(std::span<const SweepRead> reads);

// Makes the reads in the given order, and skips bytes that are in memory. If a read fails, this is
// noted, and the next one follows.
WarmReport fill_cache(std::span<const FileExtents> files, std::span<const SweepRead> reads,
                      const WarmOptions& options);

}  // namespace seekless
