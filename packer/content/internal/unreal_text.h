// Reads texts of Unreal's indexes, those of its .pak and those of its .utoc.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/content/internal/directory_cursor.h"

namespace seekless {

// Reads a length, which is negative for UTF-16, and a text that ends with a zero.
Result<std::string> read_unreal_text(DirectoryCursor& cursor);

// Returns what the mount point puts in front of all names: empty, or ends with a slash. A mount
// point begins at the folder of the game's program, three levels below the top.
std::string unreal_mount(std::string_view point);

}  // namespace seekless
