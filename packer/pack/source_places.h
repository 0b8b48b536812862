// Limits which files a layout may read. A layout can come from anybody, and its sources go into
// packs. So they must lie where content is expected, unless the user says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"

namespace seekless {

// Returns the folders in which sources may lie: the working folder, the folder of the layout `file`
// (neither if it is the home folder or '/', which hold more than content), and folders that the
// user has named as content before. The paths are canonical.
std::vector<std::string> folders_of_content(const std::string& file);

struct LinksOut {
  uint64_t count = 0;
  std::string first;  // e.g. "'a/b' (to '/c/d')"
};

// Fails with kind `usage` if a source lies elsewhere; `file` is the layout's. A link within these
// folders that leads out of them was made by someone with access to them, so it is allowed, but
// counted for a message.
Result<LinksOut> check_source_places(const Layout& layout, const std::string& file,
                                     const std::vector<std::string>& folders);

}  // namespace seekless
