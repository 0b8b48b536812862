// What the operating system puts between a program and the drive: pages in memory, and read-ahead
// for each open file. Takes a program's reads, passes on to a Drive what isn't in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/drive/drive.h"
#include "packer/drive/page_set.h"
#include "packer/host/error.h"

namespace seekless {

inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint64_t kNothingRead = UINT64_MAX;

// How far the system reads ahead. The default is Linux's (read_ahead_kb = 128).
struct ReadAhead {
  // The smallest first window. (Linux's own is 16 KiB for reads of 4 KiB.)
  uint64_t initial_bytes = uint64_t{32} * 1024;
  // Below a page: no read-ahead, just the pages asked for.
  uint64_t max_bytes = uint64_t{128} * 1024;
  // Pages in memory just before a miss count as read in order, whoever read them.
  bool looks_back = true;
};
inline constexpr ReadAhead kNoReadAhead = {.initial_bytes = 0, .max_bytes = 0, .looks_back = false};

// An open file: where its read-ahead stands. Made by PageCache::open, copied at will, kept by the
// caller, who gives it back with each read.
class OpenFile {
 private:
  friend class PageCache;
  explicit OpenFile(uint32_t file) : file_(file) {}

  uint32_t file_;
  uint64_t window_page_ = 0;                    // the latest window: where it begins,
  uint64_t window_pages_ = 0;                   // how long it is,
  uint64_t ahead_pages_ = 0;                    // and how much of its end was read ahead of demand
  uint64_t previous_end_bytes_ = kNothingRead;  // of the last read
};

// Linux reads ahead on demand (mm/readahead.c, since 2.6.23), by two events. A *miss*, a page not
// in memory, begins a window if it is at the file's start, or in or right behind the page at which
// the last read ended, or if more pages than the read asks for lie in memory just before it; the
// window is 2 to 4 times the read, but no more than the maximum. Any other miss is taken for
// random: just the pages asked for. The first page that was read ahead carries a *mark*; reading it
// fetches the next window, twice as long, while the program still uses this one. Windows belong to
// the open file, so files read in turn keep theirs, and a file opened anew starts over.
//
// Simpler here: nothing is ever evicted; the fetch behind a mark is waited for, as if the program
// took no time between reads (time the drive is busy, not time the program waits); marks belong to
// the open file, not to the page; a read longer than the maximum is fetched whole; the drive's own
// limit on one command (1280 KiB) isn't applied; directories and file system metadata cost nothing.
class PageCache {
 public:
  // `drive` must outlive the cache; other reads may go to it in between.
  PageCache(Drive& drive, const ReadAhead& read_ahead);

  // A file that lies in one piece at `position_bytes`. Error: it would end behind the drive's end.
  Result<uint32_t> add_file(uint64_t position_bytes, uint64_t size_bytes);

  // `file` is a number that add_file gave.
  OpenFile open(uint32_t file) const { return OpenFile(file); }

  // Milliseconds the drive is busy with it; 0 if all of it is in memory. What lies behind the end
  // of the file is cut off.
  double read(OpenFile& open_file, uint64_t offset_bytes, uint64_t length_bytes);

 private:
  struct File {
    uint64_t position_bytes;
    uint64_t size_bytes;
    PageSet cached;
  };

  struct PageRange {
    uint64_t first;
    uint64_t end;
  };

  // Which pages to fetch for it; both move the window of `at` unless the read is random.
  PageRange on_miss(const File& file, OpenFile& at, uint64_t page, uint64_t pages_asked) const;
  PageRange on_mark(OpenFile& at, uint64_t pages_asked) const;
  PageRange begin_window(OpenFile& at, uint64_t page, uint64_t pages_asked) const;
  PageRange look_back(const File& file, OpenFile& at, PageRange asked) const;
  PageRange widen_if_used_up(OpenFile& at, uint64_t pages_asked) const;
  double fetch(File& file, PageRange wanted);

  Drive& drive_;
  uint64_t initial_pages_;
  uint64_t max_pages_;
  bool looks_back_;
  std::vector<File> files_;
};

}  // namespace seekless
