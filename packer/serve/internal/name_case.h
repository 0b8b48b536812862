// Finds out whether a folder ignores the case of names, as vfat, exFAT and NTFS may, and casefold
// folders of ext4, F2FS and tmpfs. There one file has many spellings, and data cached under one of
// them is wrong once the file is changed under another.
#pragma once

#include <string>

#include <sys/stat.h>

namespace seekless {

enum class NameCase {
  unknown,
  tells,    // Save and save are two names
  ignores,  // Save and save are one name
};

// Returns what the folder's file system tells by itself; `folder` may be opened with O_PATH.
NameCase name_case_told(int folder);
// Finds out by looking up another spelling of `name`, which was just found in the folder with this
// `status`. Writes nothing. Returns unknown if the name has no other spelling, or has gone
// meanwhile.
NameCase name_case_tried(int folder, const std::string& name, const struct stat& status);

}  // namespace seekless
