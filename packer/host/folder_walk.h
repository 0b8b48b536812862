// Walks a folder and those below it for callers that leave parts out: content with --exclude, and
// links that would lead round in circles. Files are described as in files.h.
#pragma once

#include <functional>
#include <string>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

struct FolderVisitor {
  // Gets each file, as in visit_folder(). An error ends the walk.
  VisitFound visit;
  // Returns true if a folder, given by its relative path, must not be walked. If empty, all are
  // walked.
  std::function<bool(const std::string& folder)> skips = {};
  // Gets each link to a folder above itself; the walk doesn't follow it. If empty, such a link is
  // an error.
  std::function<Result<void>(const std::string& link, const std::string& to)> leads_back = {};
};

// Walks in the same order and with the same errors as visit_folder().
Result<void> visit_tree(const std::string& folder, const FolderVisitor& visitor);

}  // namespace seekless
