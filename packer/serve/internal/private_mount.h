// Makes mounts that only this process and its children see: in a mount name space of their own, and
// in a user name space around it unless this process is root.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

class PrivateMounts {
 public:
  // Enters own name spaces. This process must have one thread. Mounts made outside still appear
  // inside; mounts made inside stay there.
  Result<void> begin();
  // Returns true if this process is root of the machine, and needed no user name space.
  bool is_root() const { return is_root_; }
  // Mounts FUSE over `folder`, an absolute path. Returns the device's descriptor: the process that
  // answers the calls takes it over, and every other copy must be closed.
  Result<Descriptor> cover(const std::string& folder);
  // Returns the folders that are covered.
  const std::vector<std::string>& folders() const { return folders_; }
  // Makes paths lead to the originals again. Open files stay as they are.
  void uncover();

 private:
  bool is_root_ = false;
  std::vector<std::string> folders_;
  // The mount over each folder. It can be reached here even after another program has moved the
  // folder.
  std::vector<Descriptor> covers_;
};

}  // namespace seekless
