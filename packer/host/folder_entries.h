// Lists what lies directly in a folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  bool is_link = false;        // a symbolic link to a file or folder
  uint64_t size_bytes = 0;     // set for files
  bool leads_nowhere = false;  // a symbolic link to nothing or to itself
};

// Returns regular files and folders, and links to them or to nothing. Sorts folders' names as if
// they ended with a slash, like the paths below them. Skips sockets, pipes and devices. An error
// names the folder, or the entry that can't be examined.
Result<std::vector<FolderEntry>> list_folder(const std::string& folder);
// Returns the same entries in the system's order.
Result<std::vector<FolderEntry>> find_entries(const std::string& folder);

}  // namespace seekless
