// A folder that one program at a time may work in.
#pragma once

#include <string>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Held until destruction, or until the program ends in whatever way; nothing is left in the folder.
class FolderLock {
 public:
  // `path` is a folder that exists. `work` is for the error, which names the process that holds it:
  // "build". Where the file system can't lock folders (some network ones), nothing is locked.
  static Result<FolderLock> take(const std::string& path, const std::string& work);

 private:
  explicit FolderLock(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

}  // namespace seekless
