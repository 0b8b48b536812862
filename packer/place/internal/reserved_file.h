// A file without a name that is given room for others in one go, which file systems try to have in
// one piece. It goes with this process, and with it the room that isn't used.
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
  // Below `folder`; for each of `files` whole blocks. Its own size stays 0. Error: there isn't as
  // much room.
  static Result<ReservedFile> create(const std::string& folder, std::span<const FileExtents> files);

  int descriptor() const { return file_.get(); }
  uint64_t reserved_bytes() const { return bytes_; }
  // By file: from where on its room is, and where that lies on the disk.
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
