// A nameless file that reserves space for others in one call, because file systems try to allocate
// that in one piece. When this process ends, the kernel frees the file and the unused space.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"
#include "packer/host/extents.h"

namespace seekless {

class ReservedFile {
 public:
  // Creates it below `folder`, with whole blocks for each of `files`. Its own size stays 0. Fails
  // if there isn't enough space.
  static Result<ReservedFile> create(const std::string& folder, std::span<const FileExtents> files);

  int descriptor() const { return file_.get(); }
  uint64_t reserved_bytes() const { return bytes_; }
  // These return, for each file, where its room begins in this file, and where the room lies on the
  // disk.
  const std::vector<uint64_t>& begins() const { return begins_; }
  const std::vector<std::vector<Extent>>& places() const { return places_; }

 private:
  explicit ReservedFile(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
  uint64_t bytes_ = 0;
  std::vector<uint64_t> begins_;
  std::vector<std::vector<Extent>> places_;
};

}  // namespace seekless
