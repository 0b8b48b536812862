// Resolves a link in a folder. Like file_io.h, which follows no links, it is part of the interface
// to the operating system.
#pragma once

#include <optional>
#include <string>

#include "runtime/file_io.h"

namespace seekless::runtime {

// Returns the file or folder at `path` after following all links, without its name. Returns none if
// a link is broken, leads to a pipe or a device, or can't be accessed.
std::optional<FolderEntry> follow_link(const std::string& path);

}  // namespace seekless::runtime
