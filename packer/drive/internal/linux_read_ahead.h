// Models the read-ahead of Linux: which pages the kernel fetches when a page isn't in memory or
// carries a mark. PageCache uses it. All numbers are pages.
#pragma once

#include <cstdint>

#include "packer/drive/internal/page_set.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

inline constexpr uint64_t kNothingRead = UINT64_MAX;
inline constexpr uint64_t kNoMark = UINT64_MAX;
inline constexpr unsigned kLargestFolioOrder = 9;  // 2 MiB

// Holds the state that the kernel keeps for each open file (struct file_ra_state).
struct LinuxStream {
  uint64_t window_page = 0;   // first page of the latest window
  uint64_t window_pages = 0;  // length of that window
  uint64_t ahead_pages = 0;   // pages at the window's end that were read ahead of demand
  unsigned order = 0;         // the window's folios have 2^order pages
  uint64_t previous_end_bytes = kNothingRead;  // end of the last read
};

// Linux reads ahead on demand (mm/readahead.c of 6.18), on two events.
//
// A *miss* begins a window in any of these cases: it is at the file's start; it is in the page in
// which the last read ended, or right after it; the read asks for more than the device takes in one
// command; or more pages than the read asks for lie in memory just before it. Any other miss counts
// as random and fetches only the requested pages; pieces read from back to front are such misses. A
// first window is 2 to 4 times the read (16 KiB for a page), but at most the maximum, or the read
// itself if that is longer.
//
// The first page that was read ahead of demand carries a *mark*. Reading it, through any open file,
// fetches the next window, up to four times as long, while the program still uses this one. If
// nothing was read ahead of demand, half of the window counts as read ahead, so that a long
// sequential read also brings the next window.
//
// Pages come in *folios*. A first window has folios of one page. Each window that a mark brings has
// folios four times as long, and ends where such a folio would, which is a little early. A folio
// carries the mark as a whole, so reading its end counts as reading from its start.
//
// A page of a mapped file that isn't in memory brings a whole window around it
// (do_sync_mmap_readahead in mm/filemap.c).
//
// ext4 works like this since 6.16. Before that, and with file systems that only have folios of one
// page, windows didn't end early; loads of many short sequences then read some 6 % more.
//
// The model leaves out one rule: after 100 more misses than hits, a mapping stops reading around.
class LinuxReadAhead {
 public:
  // `max_pages` must be 1 or more.
  explicit LinuxReadAhead(uint64_t max_pages) : max_pages_(max_pages) {}

  struct ReadAheadWindow {
    PageRange pages;
    uint64_t mark = kNoMark;
    uint64_t ahead_pages = 0;
    unsigned order = 0;
  };

  // Call this when `page` isn't in memory; the read wants `pages_asked` pages from there on.
  // `tails` holds all pages of folios in memory except the first of each.
  ReadAheadWindow on_miss(const PageSet& cached, const PageSet& tails, LinuxStream& stream,
                          uint64_t page, uint64_t pages_asked) const;
  // Call this when `page`, in a folio with a mark, is read. `page` is the folio's first page,
  // unless it is a fault. The window may be empty.
  ReadAheadWindow on_mark(const PageSet& cached, LinuxStream& stream, uint64_t page,
                          const PageRange& folio, uint64_t pages_asked) const;
  // Call this when `page` of a mapped file isn't in memory.
  ReadAheadWindow on_fault(LinuxStream& stream, uint64_t page) const;
  // A fault on a marked page counts as a read of this many pages.
  uint64_t max_pages() const { return max_pages_; }

 private:
  uint64_t most_for(uint64_t pages_asked) const;
  static ReadAheadWindow window_of(LinuxStream& stream);

  uint64_t max_pages_;
};

}  // namespace seekless
