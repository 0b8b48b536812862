// Makes a patch. Data that the old set has anywhere is copied from there; all other data is stored
// in the patch, compressed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "packer/base/error.h"
#include "packer/patch/set_files.h"

namespace seekless {

struct WrittenPatch {
  uint64_t patch_bytes = 0;
  uint64_t new_bytes = 0;       // bytes in the patch, before compression
  uint64_t repeated_bytes = 0;  // bytes that are stored once and used in several places
  uint64_t copied_bytes = 0;    // bytes copied from the old set into files that change
  uint64_t same_bytes = 0;      // bytes of files that stay unchanged
};

// The same sets give the same bytes. Reads the old set once, and the differing parts of the new one
// twice. Needs 32 bytes of memory for each chunk of 8 KiB of the old set and of new data, and some
// MiB. `done_bytes` may be null.
Result<WrittenPatch> write_patch(const SetFiles& old, const SetFiles& now, const std::string& path,
                                 std::atomic<uint64_t>* done_bytes);

}  // namespace seekless
