// Locks a folder, so that only one program at a time works in it.
#pragma once

#include <optional>
#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Holds the lock until destruction, or until the program ends in any way. Leaves nothing in the
// folder.
class FolderLock {
 public:
  // `path` is an existing folder. `work`, such as "build", is for the error, which names the
  // process that holds the lock. If the file system can't lock folders (some network ones), nothing
  // is locked.
  static Result<FolderLock> take(const std::string& path, const std::string& work);
  // Returns the number of the process that holds the lock; nothing if none does, or if it is
  // unknown.
  static std::optional<int> holder(const std::string& path);

 private:
  explicit FolderLock(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

}  // namespace seekless
