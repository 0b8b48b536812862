// Lists what lies below a folder as a packer sees it: links are listed as links, and none is
// followed.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Paths are relative to the folder, with '/'; each list is in the order of a walk through the
// folders.
struct FolderContents {
  std::vector<std::string> folders;  // without the folder itself; includes empty ones
  std::vector<std::string> files;
  std::vector<std::string> links;
};

// Skips sockets, pipes and devices. Fails for anything that can't be examined.
Result<FolderContents> list_contents(const std::string& folder);

}  // namespace seekless
