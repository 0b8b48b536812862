// Opens files that are to be moved, by canonical paths. Follows no link, not even one that replaces
// a folder meanwhile, and waits for no pipe.
#pragma once

#include <string>

#include <sys/stat.h>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

struct MovedFile {
  Descriptor folder;  // the file's folder
  std::string name;   // name in that folder
  Descriptor file;    // reading it keeps its access time, if this user may do so
  struct stat status;
};

// `access` is O_RDONLY or O_RDWR. Fails if the file can't be opened like that, or isn't a regular
// file; the message says that it stays in its place.
Result<MovedFile> open_to_move(const std::string& path, int access);

// Gets the file's status, at a time after which any later change gives it other times. Returns 0,
// or the error; EBUSY: it is changed all the time.
int settled_status(int file, struct stat& status);

// Returns true if nothing about the file has changed: size, times, owner, permissions, names.
bool is_unchanged(const struct stat& before, const struct stat& now);

}  // namespace seekless
