// Opens files and folders only if the system has their names in memory, so that neither a disk nor
// another machine is asked.
#pragma once

#include <optional>
#include <string>

#include <dirent.h>
#include <sys/types.h>

namespace seekless {

// Returns a descriptor, or -1: with errno EAGAIN if the name isn't in memory, and with EINVAL,
// ENOSYS or EPERM if the system can't tell (Linux before 5.12, some containers).
int open_cached(int folder, const std::string& name, int flags);
// Returns the device of a folder whose name is in memory.
std::optional<dev_t> device_of_cached(const std::string& path);
// Returns the kind of a folder's entry; DT_UNKNOWN if the list doesn't tell and its name isn't in
// memory.
unsigned char kind_of_entry(int folder, const dirent& entry);

}  // namespace seekless
