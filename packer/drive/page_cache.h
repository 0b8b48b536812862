// What the operating system puts between a program and the drive: pages in memory, and read-ahead
// for each open file. Takes a program's reads, passes on to a Drive what isn't in memory.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/drive.h"
#include "packer/drive/internal/folio_marks.h"
#include "packer/drive/internal/linux_read_ahead.h"
#include "packer/drive/internal/page_set.h"
#include "packer/drive/internal/windows_read_ahead.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

// An open file: where its read-ahead stands. Made by PageCache::open, copied at will, kept by the
// caller, who gives it back with each read.
class CachedFile {
 private:
  friend class PageCache;
  explicit CachedFile(uint32_t file) : file_(file) {}

  uint32_t file_;
  LinuxStream linux_;
  WindowsStream windows_;
};

// A command to the drive.
struct DriveRead {
  uint64_t position_bytes = 0;
  uint64_t length_bytes = 0;
};

// Read-ahead belongs to the open file, so files read in turn keep theirs, and a file opened anew
// starts over.
//
// Simpler here than in any system: nothing is ever evicted; what is read ahead is waited for, as if
// the program took no time between reads (time the drive is busy, not time the program waits); the
// drive's own limit on one command (1280 KiB) isn't applied, and neighbouring commands aren't
// merged, neither of which moves the head; directories and file system metadata cost nothing.
class PageCache {
 public:
  // `drive` must outlive the cache; other reads may go to it in between.
  PageCache(Drive& drive, const ReadAhead& read_ahead);

  // From now on. What lies in memory stays there.
  void set_read_ahead(const ReadAhead& read_ahead);

  // A file that lies in one piece at `position_bytes`. Error: it would end past the drive's end.
  Result<uint32_t> add_file(uint64_t position_bytes, uint64_t size_bytes);

  // Nothing is in memory any more. Takes as long as what was fetched, not as the files.
  void forget();

  // `file` is a number that add_file gave.
  CachedFile open(uint32_t file) const { return CachedFile(file); }

  // What the drive has to be asked for, in this order, before the program has what it reads; none
  // if all of it is in memory. From now on it counts as in memory. What lies past the end of the
  // file is cut off. Valid until the next call.
  std::span<const DriveRead> misses(CachedFile& open_file, uint64_t offset_bytes,
                                    uint64_t length_bytes);
  // The same for pages of a mapped file, touched one by one, front to back.
  std::span<const DriveRead> faults(CachedFile& open_file, uint64_t offset_bytes,
                                    uint64_t length_bytes);

  // Asks the drive itself for the misses. Milliseconds the drive is busy with them.
  double read(CachedFile& open_file, uint64_t offset_bytes, uint64_t length_bytes);

 private:
  struct SimulatedFile {
    uint64_t position_bytes;
    uint64_t size_bytes;
    PageSet cached;
    // Linux only:
    PageSet tails;  // of folios: their pages but the first
    FolioMarks marks;
  };

  void read_on_linux(SimulatedFile& file, LinuxStream& stream, PageRange wanted, bool is_mapped);
  void fetch(SimulatedFile& file, PageRange wanted);
  void fetch_window(SimulatedFile& file, const LinuxReadAhead::ReadAheadWindow& window);
  void lay_folios(SimulatedFile& file, const LinuxReadAhead::ReadAheadWindow& window, uint64_t end);

  Drive& drive_;
  ReadAheadStyle style_ = ReadAheadStyle::none;
  LinuxReadAhead linux_;
  std::vector<SimulatedFile> files_;
  std::vector<DriveRead> misses_;                        // of the latest call
  std::vector<std::pair<uint32_t, PageRange>> fetched_;  // by file; since all was forgotten
};

}  // namespace seekless
