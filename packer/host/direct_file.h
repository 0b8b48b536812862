// Reads past the system's cache, one at a time: for measuring a device. Never writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "packer/host/error.h"

namespace seekless {

// A block device or a regular file, opened read-only with O_DIRECT.
class DirectFile {
 public:
  // `largest_read_bytes` is that of any read, a multiple of 4 KiB. Errors: a folder, another kind
  // of device, one without bytes, one that may not be read, a file system that only has memory or
  // can't read past its cache.
  static Result<DirectFile> open(const std::string& path, uint64_t largest_read_bytes);
  DirectFile(DirectFile&&) noexcept;
  DirectFile& operator=(DirectFile&&) = delete;
  ~DirectFile();

  const std::string& name() const { return name_; }
  uint64_t size_bytes() const { return size_bytes_; }
  bool is_device() const { return is_device_; }

  // Place and length in multiples of 4 KiB, within the file. False: the medium couldn't be read
  // there. Error: no further read can succeed, or the run is interrupted.
  Result<bool> read(uint64_t position_bytes, uint64_t length_bytes);

  // How a file lies on its drive, as far as its file system tells.
  struct Pieces {
    uint64_t count = 0;         // that don't follow one another
    uint64_t stored_bytes = 0;  // the rest are holes, or were never written
  };
  std::optional<Pieces> pieces() const;

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };

  DirectFile(std::string name, int descriptor, uint64_t size_bytes, bool is_device);

  std::string name_;
  int descriptor_;
  uint64_t size_bytes_;
  bool is_device_;
  std::unique_ptr<std::byte, Free> buffer_;
};

}  // namespace seekless
