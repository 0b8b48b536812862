// Shared by the rewriters of sets (packer/content/archive_sets.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// Keeps the part open that was read last, because neighbours often follow each other.
class OldParts {
 public:
  // Fails if the part no longer has this size. The result is valid until the next call.
  Result<const ByteSource*> open(const std::string& path, uint64_t size_bytes);

 private:
  std::unique_ptr<ByteSource> open_;
};

// The error for a new set that doesn't hold what it should.
std::unexpected<Error> set_differs(const std::string& path, std::string expected);

}  // namespace seekless
