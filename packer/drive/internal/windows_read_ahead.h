// The read-ahead of Windows' cache manager: what it fetches after a read, and for a page of a
// mapped file. Asked by PageCache; works in pages.
#pragma once

#include <cstdint>

#include "packer/drive/read_ahead.h"

namespace seekless {

// What the cache manager keeps for each open file (its private cache map): the last two reads.
struct WindowsStream {
  struct Read {
    uint64_t begin_bytes = 0;
    uint64_t end_bytes = 0;
    bool is_known = false;
  };
  Read last;
  Read before_last;
};

// A page that isn't in memory is fetched with the rest of the pages that the read asks for. Ahead
// of the program the cache manager reads by the last two reads and this one ("asynchronous
// read-ahead with history": Russinovich and Solomon, "Windows Internals", chapter on the cache
// manager):
// - The third of three reads in sequence has it read on, to the granule after the one it ends in,
//   further by the read's own length in granules. A granule is 64 KiB: what Microsoft's published
//   file systems (FastFat, CDFS: READ_AHEAD_GRANULARITY) give to CcSetReadAheadGranularity.
// - Three reads whose begins are the same distance apart, forward or backward, have it read the
//   piece at that distance again.
// - Reads of fewer than 256 bytes never have it read ahead (the documentation of CcReadAhead).
// A page of a mapped file brings 32 KiB from itself on. That is what a Process Monitor log of
// Windows 10 (build 16299) shows: of 23 page-ins of data (fonts, font caches, an NLS table, a
// colour profile, an anti-virus data base) 21 were of 32 KiB, and one was a file of 3 KiB. Images
// (.exe, .dll) came by 4, 16 and 32 KiB; games keep no content there. The log has no cached read
// that missed, so it says nothing of the rules above.
//
// Simpler here: files aren't opened with hints (FILE_FLAG_SEQUENTIAL_SCAN, _RANDOM_ACCESS): traces
// rarely tell; what is read ahead for a stride is the pages of the piece.
class WindowsReadAhead {
 public:
  static constexpr uint64_t kGranuleBytes = uint64_t{64} * 1024;
  static constexpr uint64_t kLeastReadBytes = 256;
  static constexpr uint64_t kFaultPages = uint64_t{32} * 1024 / kPageBytes;

  // What to fetch once the read has its pages, maybe none; remembers the read. The file has at
  // least `offset_bytes + length_bytes`.
  static PageRange behind_read(WindowsStream& stream, uint64_t offset_bytes, uint64_t length_bytes);
};

}  // namespace seekless
