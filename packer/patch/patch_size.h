// How large a patch from one set to another is for systems that patch files without knowing what
// they hold: by chunks of a fixed grid, and by content-defined ones.
#pragma once

#include <cstdint>

#include "packer/host/error.h"
#include "packer/patch/set_files.h"

namespace seekless {

struct PatchSize {
  uint64_t grid_bytes = 0;   // chunks of 1 MiB from the start of each file that no old file has
  uint64_t chunk_bytes = 0;  // likewise content-defined chunks
};

// Reads all of both sets, but for what is the same file in both. 16 bytes of memory for each chunk
// of 8 KiB.
Result<PatchSize> measure_patch(const SetFiles& old, const SetFiles& now);

}  // namespace seekless
