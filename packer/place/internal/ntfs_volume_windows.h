// Opens the volume that a folder lies on.
#pragma once

#include <cstdint>
#include <string>

#include "packer/place/internal/ntfs_volume.h"

namespace seekless {

enum class VolumeAccess : uint8_t {
  ask,   // only for its layout; everybody may
  move,  // for everything; only administrators may
};
NtfsResult<std::unique_ptr<NtfsVolume>> open_ntfs_volume(const std::string& folder,
                                                         VolumeAccess access);

// Converts a result of GetLastError().
NtfsError ntfs_error_of(uint32_t number);

}  // namespace seekless
