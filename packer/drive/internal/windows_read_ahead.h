// Models the read-ahead of Windows' cache manager: what it fetches after a read, and for a page of
// a mapped file. PageCache uses it. Ranges are in pages.
#pragma once

#include <cstdint>

#include "packer/drive/read_ahead.h"

namespace seekless {

// Holds the last two reads, which the cache manager keeps for each open file (its private cache
// map).
struct WindowsStream {
  struct Read {
    uint64_t begin_bytes = 0;
    uint64_t end_bytes = 0;
    bool is_known = false;
  };
  Read last;
  Read before_last;
};

// A page that isn't in memory is fetched with the other pages that the read asks for. The cache
// manager decides from the last two reads and this one what to read ahead ("asynchronous read-ahead
// with history": Russinovich and Solomon, "Windows Internals", chapter on the cache manager):
// - The third of three sequential reads makes it read on to the end of the granule in which the
//   read ends, and further by the read's own length in granules. A granule is 64 KiB, which
//   Microsoft's published file systems (FastFat, CDFS: READ_AHEAD_GRANULARITY) pass to
//   CcSetReadAheadGranularity.
// - Three reads that begin at equal distances, forward or backward, make it read the piece at that
//   distance again.
// - Reads of fewer than 256 bytes never make it read ahead (the documentation of CcReadAhead).
// A fault on a page of a mapped file fetches 32 KiB from that page on. The source is a Process
// Monitor log of Windows 10 (build 16299): of 23 page-ins of data (fonts, font caches, an NLS
// table, a colour profile, an anti-virus data base) 21 were of 32 KiB, and one was a file of 3 KiB.
// Images (.exe, .dll) came by 4, 16 and 32 KiB; games keep no content there. The log has no cached
// read that missed, so it says nothing about the rules above.
//
// The model simplifies two things. It ignores hints at opening (FILE_FLAG_SEQUENTIAL_SCAN,
// _RANDOM_ACCESS), because traces rarely contain them. For a stride, exactly the pages of the piece
// are read ahead.
class WindowsReadAhead {
 public:
  static constexpr uint64_t kGranuleBytes = uint64_t{64} * 1024;
  static constexpr uint64_t kLeastReadBytes = 256;
  static constexpr uint64_t kFaultPages = uint64_t{32} * 1024 / kPageBytes;

  // Returns what to fetch after the read, which may be nothing, and remembers the read. The file
  // must have at least `offset_bytes + length_bytes`.
  static PageRange behind_read(WindowsStream& stream, uint64_t offset_bytes, uint64_t length_bytes);
};

}  // namespace seekless
