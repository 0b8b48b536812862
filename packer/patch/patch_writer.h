// Makes a patch: what the new set has of the old one is copied, wherever it lies; the rest comes
// along, compressed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "packer/base/error.h"
#include "packer/patch/set_files.h"

namespace seekless {

struct WrittenPatch {
  uint64_t patch_bytes = 0;
  uint64_t new_bytes = 0;       // that come with it, before compression
  uint64_t repeated_bytes = 0;  // that come with it once, and are in several places
  uint64_t copied_bytes = 0;    // out of the old set, into files that change
  uint64_t same_bytes = 0;      // of files that stay as they are
};

// The same sets give the same bytes. The old one is read once, what is different in the new one
// twice; memory: 32 bytes for each chunk of 8 KiB of the old set, likewise of what is new, and some
// MiB. `done_bytes` may be null.
Result<WrittenPatch> write_patch(const SetFiles& old, const SetFiles& now, const std::string& path,
                                 std::atomic<uint64_t>* done_bytes);

}  // namespace seekless
