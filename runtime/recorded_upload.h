// Records an upload for a fleet (schemas/fleet-upload.md): the numbers of one pack set's assets, in
// the order in which loads first read them. It contains no path, no name and no time of day, and no
// more bytes than allowed.
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
  uint32_t day = 0;           // days since 1970
  uint64_t most_bytes = 0;    // limit for the file
  std::string_view scenario;  // the scenario being loaded until the first mark; empty: none
};

// `mount` must be a pack set with a catalog, mounted as `id`. `context` gives the drive's figures
// at the end, and must outlive the recording. Errors: IO.
Result<std::unique_ptr<RecordedForm>> make_recorded_upload(std::unique_ptr<OutputFile> file,
                                                           MountPointer mount, skl_mount_id id,
                                                           const UploadRules& rules,
                                                           skl_context* context);

}  // namespace seekless::runtime
