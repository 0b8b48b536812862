// Walks a folder and those below it for whoever leaves parts of it out: content with --exclude, and
// links that would never end. What is told of each file is as files.h has it.
#pragma once

#include <functional>
#include <string>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

struct FolderVisitor {
  // For each file, as visit_folder() calls it; what it fails with ends the walk.
  VisitFound visit;
  // Whether a folder isn't looked into at all, by its relative path. None: all are.
  std::function<bool(const std::string& folder)> skips = {};
  // For a link back to a folder that it lies in; the walk doesn't go there. None: it is an error.
  std::function<Result<void>(const std::string& link, const std::string& to)> leads_back = {};
};

// In the order and with the errors of visit_folder().
Result<void> visit_tree(const std::string& folder, const FolderVisitor& visitor);

}  // namespace seekless
