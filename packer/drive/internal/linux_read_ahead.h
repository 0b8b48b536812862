// The read-ahead of Linux: which pages the kernel fetches for a page that isn't in memory, or that
// carries a mark. Asked by PageCache; works in pages.
#pragma once

#include <cstdint>

#include "packer/drive/internal/page_set.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

inline constexpr uint64_t kNothingRead = UINT64_MAX;
inline constexpr uint64_t kNoMark = UINT64_MAX;
inline constexpr unsigned kLargestFolioOrder = 9;  // 2 MiB

// What the kernel keeps for each open file (struct file_ra_state).
struct LinuxStream {
  uint64_t window_page = 0;                    // the latest window: where it begins,
  uint64_t window_pages = 0;                   // how long it is,
  uint64_t ahead_pages = 0;                    // and how much of its end was read ahead of demand
  unsigned order = 0;                          // its folios have as many pages as 2 to this power
  uint64_t previous_end_bytes = kNothingRead;  // of the last read
};

// Linux reads ahead on demand (mm/readahead.c of 6.18), by two events. A *miss* begins a
// window if it is at the file's start, if it is in or right after the page at which the last read
// ended, if the read asks for more than the device takes in one command, or if more pages than the
// read asks for lie in memory just before it; else it is taken for random: just the pages asked
// for, which is what pieces read from back to front get. A first window is 2 to 4 times the read
// (16 KiB for a page), but no more than the maximum, or the read itself if that is longer. The
// first page that was read ahead of demand carries a *mark*; reading it, by whatever open file,
// fetches the next window, up to four times as long, while the program still uses this one. Where
// nothing is ahead of demand, half of the window counts as if it were, so that a long read in
// sequence brings the next window too.
//
// Pages come in *folios*. A first window has folios of a page; each that a mark brings has them
// four times as long, and ends where such a folio would, a little early. A folio carries the mark
// as a whole, so that a read of its end counts as one from its start on.
//
// A page of a mapped file that isn't in memory brings a whole window around it (do_sync_mmap_
// readahead in mm/filemap.c).
//
// That is ext4's way since 6.16. Before, and with file systems that know folios of a page alone,
// windows didn't end early; loads of many short sequences then read some 6 % more.
//
// Simpler here: a mapping doesn't stop reading around after 100 misses more than hits.
class LinuxReadAhead {
 public:
  // `max_pages` is 1 or more.
  explicit LinuxReadAhead(uint64_t max_pages) : max_pages_(max_pages) {}

  struct ReadAheadWindow {
    PageRange pages;
    uint64_t mark = kNoMark;
    uint64_t ahead_pages = 0;
    unsigned order = 0;
  };

  // `page` isn't in memory; the read wants `pages_asked` pages from there on. `tails`: the pages of
  // folios in memory that aren't their first.
  ReadAheadWindow on_miss(const PageSet& cached, const PageSet& tails, LinuxStream& stream,
                          uint64_t page, uint64_t pages_asked) const;
  // `page` is of a folio that carries a mark; if it is read, the first. The window may be empty.
  ReadAheadWindow on_mark(const PageSet& cached, LinuxStream& stream, uint64_t page,
                          const PageRange& folio, uint64_t pages_asked) const;
  // `page` of a mapped file isn't in memory.
  ReadAheadWindow on_fault(LinuxStream& stream, uint64_t page) const;
  // What a fault on a marked page counts as asked for.
  uint64_t max_pages() const { return max_pages_; }

 private:
  uint64_t most_for(uint64_t pages_asked) const;
  static ReadAheadWindow window_of(LinuxStream& stream);

  uint64_t max_pages_;
};

}  // namespace seekless
