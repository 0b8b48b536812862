// What a file is besides its name and bytes: its owner, permissions, access lists and other
// extended attributes, flags and times. A copy that is to take its place gets all of it while
// nobody sees that one yet.
#pragma once

#include <string>

#include <sys/stat.h>

#include "packer/base/error.h"

namespace seekless {

// Those that decide how its bytes are kept (compressed, never copied on writing, in pieces of a
// size): for `to` while it is empty. `path` names `from` in messages. Error: one can't be given.
Result<void> keep_flags(int from, const std::string& path, int to);

// All others, once its bytes are written. `status` is that of `from`. Error: likewise.
Result<void> keep_attributes(int from, const std::string& path, const struct stat& status, int to);

}  // namespace seekless
