// Finds where a link in a folder leads. It belongs to the same seam to the operating system as
// file_io.h, which follows no links.
#pragma once

#include <optional>
#include <string>

#include "runtime/file_io.h"

namespace seekless::runtime {

// Returns the file or folder at `path` after following all links, without its name. Returns none if
// they lead nowhere, to a pipe or a device, or to a place without access.
std::optional<FolderEntry> follow_link(const std::string& path);

}  // namespace seekless::runtime
