// Models the layer of the operating system between a program and the drive: pages in memory, and
// read-ahead for each open file. Takes a program's reads, and passes on to a Drive those that
// memory can't serve.
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
#include "packer/host/extents.h"

namespace seekless {

// Holds the read-ahead state of an open file. PageCache::open makes it; it may be copied. The
// caller keeps it and passes it with each read.
class CachedFile {
 private:
  friend class PageCache;
  explicit CachedFile(uint32_t file) : file_(file) {}

  uint32_t file_;
  LinuxStream linux_;
  WindowsStream windows_;
};

// Describes a command to the drive.
struct DriveRead {
  uint64_t position_bytes = 0;
  uint64_t length_bytes = 0;
};

// Read-ahead is a state of the open file. So files that are read in turn keep their state, and a
// file that is opened again starts over.
//
// The model is simpler than any system. Nothing is ever evicted. A read waits for the read-ahead,
// too, as if the program took no time between reads: the model counts the drive's busy time, not
// the program's waiting time. The drive's limit on one command (1280 KiB) isn't applied, and
// neighbouring commands aren't merged; neither moves the head. Directories and file system metadata
// cost nothing.
class PageCache {
 public:
  // `drive` must outlive the cache. Other reads may go to the drive in between.
  PageCache(Drive& drive, const ReadAhead& read_ahead);

  // Applies to reads from now on. Pages in memory stay there.
  void set_read_ahead(const ReadAhead& read_ahead);

  // Adds a file that lies in one piece at `position_bytes`. Fails if it would end past the drive's
  // end.
  Result<uint32_t> add_file(uint64_t position_bytes, uint64_t size_bytes);
  // Adds a file that lies in these pieces, sorted by offset, which end within the drive. A hole
  // between them costs nothing.
  uint32_t add_file(std::span<const Extent> pieces, uint64_t size_bytes);

  // Drops everything from memory. The time depends on the number of fetched pages, not on the size
  // of the files.
  void forget();

  // `file` must be a number from add_file.
  CachedFile open(uint32_t file) const { return CachedFile(file); }

  // Returns the commands to the drive, in order, that the program must wait for; none if everything
  // is in memory. Afterwards the pages count as in memory. A range past the file's end is cut off.
  // The result is valid until the next call.
  std::span<const DriveRead> misses(CachedFile& open_file, uint64_t offset_bytes,
                                    uint64_t length_bytes);
  // Does the same for pages of a mapped file that are touched one by one, front to back.
  std::span<const DriveRead> faults(CachedFile& open_file, uint64_t offset_bytes,
                                    uint64_t length_bytes);

  // Sends the misses to the drive. Returns the milliseconds that it is busy with them.
  double read(CachedFile& open_file, uint64_t offset_bytes, uint64_t length_bytes);

 private:
  struct SimulatedFile {
    std::vector<Extent> pieces;
    uint64_t size_bytes;
    PageSet cached;
    // Only Linux uses these:
    PageSet tails;  // all pages of folios except the first of each
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
  std::vector<DriveRead> misses_;  // result of the latest call
  // Fetched pages of each file, since forget().
  std::vector<std::pair<uint32_t, PageRange>> fetched_;
};

}  // namespace seekless
