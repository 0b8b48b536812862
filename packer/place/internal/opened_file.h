// Opens files that are to be moved, by canonical paths. Follows no link, not even one that replaces
// a folder meanwhile, and doesn't block on pipes.
#pragma once

#include <string>

#include <sys/stat.h>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

struct MovedFile {
  Descriptor folder;  // the file's folder
  std::string name;   // name in that folder
  Descriptor file;    // opened with O_NOATIME, if this user may do so
  struct stat status;
};

// `access` is O_RDONLY or O_RDWR. Fails if the file can't be opened like that, or isn't a regular
// file; the message says that the file isn't moved.
Result<MovedFile> open_to_move(const std::string& path, int access);

// Gets the file's status once any later change would change its times. Returns 0, or the error;
// EBUSY if the file keeps changing.
int settled_status(int file, struct stat& status);

// Returns true if nothing about the file has changed: size, times, owner, permissions, names.
bool is_unchanged(const struct stat& before, const struct stat& now);

}  // namespace seekless
