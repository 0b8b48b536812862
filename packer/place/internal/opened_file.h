// Opens files that are to be moved, by canonical paths. No link is followed, not even one that
// takes a folder's place meanwhile, and no pipe is waited for.
#pragma once

#include <string>

#include <sys/stat.h>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

struct MovedFile {
  Descriptor folder;  // that it lies in
  std::string name;   // in that folder
  Descriptor file;    // reading it leaves its time of access as it is, where this user may say so
  struct stat status;
};

// `access` is O_RDONLY or O_RDWR. Error: it can't be opened so, or isn't a regular file; the
// message says that it stays where it is.
Result<MovedFile> open_to_move(const std::string& path, int access);

// Its status, once any later change gives it other times than these. 0, or why not; EBUSY: it is
// changed all the time.
int settled_status(int file, struct stat& status);

// Whether nothing about it has changed: size, times, owner, permissions, names.
bool is_unchanged(const struct stat& before, const struct stat& now);

}  // namespace seekless
