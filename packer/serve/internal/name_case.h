// Whether a folder takes names that differ in the case of their letters for the same name, as vfat,
// exFAT and NTFS may, and folders of ext4, F2FS and tmpfs that were told to (casefold). There one
// file has many spellings, and what is known by one of them is wrong once the file is changed by
// another.
#pragma once

#include <string>

#include <sys/stat.h>

namespace seekless {

enum class NameCase {
  unknown,
  tells,    // Save and save are two names
  ignores,  // they are one
};

// What the folder's file system says by itself; `folder` may be opened by O_PATH.
NameCase name_case_told(int folder);
// What `name` says, which was just found in the folder, and is what `status` says. Nothing is
// written: another spelling of it is looked up. Unknown if it has none, or has gone meanwhile.
NameCase name_case_tried(int folder, const std::string& name, const struct stat& status);

}  // namespace seekless
