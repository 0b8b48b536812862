// Mounts a zip. Stored entries are read in place; deflated ones are decoded by the caller's
// function.
#pragma once

#include <string>

#include "runtime/memory.h"
#include "runtime/mount.h"

namespace seekless::runtime {

struct Inflate {
  skl_inflate_function function = nullptr;
  void* user = nullptr;
};

// Takes over `file`, and reads its directory.
Result<MountPointer> open_zip_mount(std::unique_ptr<File> file, bool folds_case,
                                    const Inflate& inflate, const Memory& memory);

}  // namespace seekless::runtime
