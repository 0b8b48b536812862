// Who answers the reads of a served folder: as they are, or by something that records and foresees
// them. All functions are called from any thread.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>
#include <unistd.h>

#include "packer/host/file_stamp.h"

namespace seekless {

struct FileRead {
  uint32_t file = 0;    // as FileReader::open numbered it
  int descriptor = -1;  // the original, open for reading
  uint64_t offset_bytes = 0;
  uint32_t thread = 0;  // that asks
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  // Whether reads are to come as the game makes them, in whole pages, and not as the kernel reads
  // ahead. It costs the game more calls.
  virtual bool wants_exact_reads() const { return false; }
  // A name is about to be looked up, for which the disk may be asked.
  virtual void looks_up() {}
  // A regular file was opened, by its path in the folder; returns a number for its reads.
  virtual uint32_t open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) {
    static_cast<void>(path), static_cast<void>(stamp), static_cast<void>(thread);
    return 0;
  }
  // Fills `into` as far as the file goes. Returns bytes, or an errno below 0.
  virtual ssize_t read(const FileRead& read, std::span<std::byte> into) {
    return read_original(read, into);
  }
  // The file is about to be written, cut, replaced or removed.
  virtual void changes(const std::string& path) { static_cast<void>(path); }

 protected:
  // To the kernel fewer bytes are the file's end, so it reads on after fewer; and where something
  // can't be read the whole read fails. The kernel then asks for what was good page by page.
  static ssize_t read_original(const FileRead& read, std::span<std::byte> into) {
    size_t done = 0;
    while (done < into.size()) {
      const ssize_t got = ::pread(read.descriptor, into.data() + done, into.size() - done,
                                  static_cast<off_t>(read.offset_bytes + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return -errno;
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return static_cast<ssize_t>(done);
  }
};

}  // namespace seekless
