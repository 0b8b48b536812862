// A recording as an upload to a fleet (schemas/fleet-upload.md): which assets of one pack set its
// loads read first, by number. No path, no name and no time of day; not more bytes than allowed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/file_io.h"
#include "runtime/mount.h"
#include "runtime/recorder.h"

namespace seekless::runtime {

struct UploadRules {
  std::array<std::byte, 16> client = {};
  uint32_t day = 0;           // since 1970
  uint64_t most_bytes = 0;    // of the file
  std::string_view scenario;  // what is being loaded, until the first mark; empty: none
};

// `mount`: a pack set with a catalog, mounted as `id`. `context` tells the drive's figures at the
// end, and must outlive it. Errors: IO.
Result<std::unique_ptr<RecordedForm>> make_recorded_upload(std::unique_ptr<OutputFile> file,
                                                           MountPointer mount, skl_mount_id id,
                                                           const UploadRules& rules,
                                                           skl_context* context);

}  // namespace seekless::runtime
