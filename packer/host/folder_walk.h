// Walks a folder and those below it for callers that leave parts out: content with --exclude, and
// links that would never end. Files are described as in files.h.
#pragma once

#include <functional>
#include <string>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

struct FolderVisitor {
  // Called for each file, as by visit_folder(); its error ends the walk.
  VisitFound visit;
  // Returns true if a folder, given by its relative path, must not be walked. Empty: all are
  // walked.
  std::function<bool(const std::string& folder)> skips = {};
  // Called for a link back to a folder that it lies in; the walk doesn't follow it. Empty: such a
  // link is an error.
  std::function<Result<void>(const std::string& link, const std::string& to)> leads_back = {};
};

// Walks in the order and with the errors of visit_folder().
Result<void> visit_tree(const std::string& folder, const FolderVisitor& visitor);

}  // namespace seekless
