// An open file of an archive: a position and a window of its bytes. Copies share nothing but the
// archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/adapters/physfs/archive.h"

namespace seekless::physfs {

// Games read by 2 to 16 KiB, some by 4 bytes. Most of their assets are smaller than this.
inline constexpr size_t kWindowBytes = 256 * 1024;

class File {
 public:
  File(const Archive& archive, const FoundFile& found) : archive_(&archive), found_(found) {}
  // At the same place, with a window of its own.
  File(const File& other)
      : archive_(other.archive_), found_(other.found_), position_(other.position_) {}
  File& operator=(const File&) = delete;

  // What there is from the position on; the position moves. -1, and `error` says why.
  int64_t read(std::span<char> into, skl_error* error);
  bool seek(uint64_t position);
  uint64_t position() const { return position_; }
  uint64_t size_bytes() const { return found_.size_bytes; }

 private:
  bool holds_position() const;
  bool fill_window(skl_error* error);

  const Archive* archive_;
  FoundFile found_;
  uint64_t position_ = 0;
  uint64_t window_start_ = 0;
  std::vector<char> window_;
};

}  // namespace seekless::physfs
