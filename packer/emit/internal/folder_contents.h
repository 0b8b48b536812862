// What lies below a folder as a packer sees it: links are things of their own, and none is
// followed.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Paths are relative to the folder, with '/', each list sorted as a walk through the folders meets
// them.
struct FolderContents {
  std::vector<std::string> folders;  // without the one itself; empty ones, too
  std::vector<std::string> files;
  std::vector<std::string> links;
};

// Sockets, pipes and devices are passed over. Fails for what can't be looked at.
Result<FolderContents> list_contents(const std::string& folder);

}  // namespace seekless
