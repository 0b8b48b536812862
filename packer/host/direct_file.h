// Reads a device or file past the system's cache, one read at a time, to measure the device. Never
// writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// A block device or a regular file, opened read-only with O_DIRECT.
class DirectFile {
 public:
  // `largest_read_bytes` is the maximum length of a read, a multiple of 4 KiB. Fails for a folder,
  // for a device that is empty or no block device, for a file that may not be read, and on file
  // systems that live in memory or can't bypass their cache.
  static Result<DirectFile> open(const std::string& path, uint64_t largest_read_bytes);

  const std::string& name() const { return name_; }
  uint64_t size_bytes() const { return size_bytes_; }
  bool is_device() const { return is_device_; }

  // Reads at a position and length that are multiples of 4 KiB within the file. Returns false if
  // the medium can't be read there. An error means that no further read can succeed, or that the
  // run was interrupted.
  Result<bool> read(uint64_t position_bytes, uint64_t length_bytes);

 private:
  struct FreeAligned {
    void operator()(std::byte* bytes) const;
  };

  DirectFile(std::string name, Descriptor descriptor, uint64_t size_bytes, bool is_device)
      : name_(std::move(name)),
        descriptor_(std::move(descriptor)),
        size_bytes_(size_bytes),
        is_device_(is_device) {}

  std::string name_;
  Descriptor descriptor_;
  uint64_t size_bytes_;
  bool is_device_;
  std::unique_ptr<std::byte, FreeAligned> buffer_;
};

}  // namespace seekless
