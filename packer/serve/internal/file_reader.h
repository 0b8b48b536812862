// The interface that answers reads of a served folder: plainly, or with recording and prefetching.
// Any thread may call any function.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

#include "packer/host/calls.h"
#include "packer/host/file_stamp.h"

namespace seekless {

struct FileRead {
  uint32_t file = 0;    // the number that FileReader::open returned
  int descriptor = -1;  // the original, open for reading
  uint64_t offset_bytes = 0;
  uint32_t thread = 0;  // the thread that asks
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  // Returns true if reads must come as the game makes them, in whole pages, without the kernel's
  // read-ahead. That costs the game more calls.
  virtual bool wants_exact_reads() const { return false; }
  // Called before a name is looked up, which may access the disk. If `path` ends in '/', a folder's
  // list of names is read.
  virtual void looks_up(const std::string& path) { static_cast<void>(path); }
  // Called when a regular file is opened, with its path in the folder; returns a number for its
  // reads.
  virtual uint32_t open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) {
    static_cast<void>(path), static_cast<void>(stamp), static_cast<void>(thread);
    return 0;
  }
  // Fills `into` up to the file's end. Returns the number of bytes, or a negated errno.
  virtual ssize_t read(const FileRead& read, std::span<std::byte> into) {
    return read_original(read, into);
  }
  // Called before the file is written, truncated, replaced or removed.
  virtual void changes(const std::string& path) { static_cast<void>(path); }

 protected:
  // To the kernel a short read means the file's end, so this continues after short reads, and fails
  // as a whole if a part can't be read. The kernel then asks for the good parts page by page.
  static ssize_t read_original(const FileRead& read, std::span<std::byte> into) {
    size_t done = 0;
    while (done < into.size()) {
      const int64_t got = calls::read_at(read.descriptor, into.data() + done, into.size() - done,
                                         read.offset_bytes + done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return -errno;
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return static_cast<ssize_t>(done);
  }
};

}  // namespace seekless
