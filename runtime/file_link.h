// What a link in a folder leads to: part of the seam to the operating system that file_io.h is,
// which follows no links.
#pragma once

#include <optional>
#include <string>

#include "runtime/file_io.h"

namespace seekless::runtime {

// The file or folder at `path`, wherever links lead, without its name. None: they lead nowhere, to
// a pipe or a device, or to where nobody may look.
std::optional<FolderEntry> follow_link(const std::string& path);

}  // namespace seekless::runtime
