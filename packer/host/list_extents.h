// Asks where a folder's list of names lies on the disk, without reading the list.
#pragma once

#include <string>

#include "packer/base/error.h"
#include "packer/host/extents.h"

namespace seekless {

// Returns what read_folder_extents() does, but for the last inode, which takes reading the list.
Result<FileExtents> read_list_extents(const std::string& folder);

}  // namespace seekless
