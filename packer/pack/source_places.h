// Which files a layout may have read. A layout can come from anybody, and whatever its sources name
// is put into packs: so they lie where content is expected, or the user says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"

namespace seekless {

// Where sources may lie: the working folder and the one that the layout `file` lies in (neither of
// them if it is the home folder or '/', which hold more than content), and what the user has named
// as content before. Canonical paths.
std::vector<std::string> folders_of_content(const std::string& file);

struct LinksOut {
  uint64_t count = 0;
  std::string first;  // "'a/b' (to '/c/d')"
};

// Fails with kind usage at a source that lies elsewhere; `file` is the layout's. A link within
// these folders that leads out of them is somebody's own doing: it is counted, to be told.
Result<LinksOut> check_source_places(const Layout& layout, const std::string& file,
                                     const std::vector<std::string>& folders);

}  // namespace seekless
