// Covers folders with mounts that only this process and its children see, and uncovers them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

class Covers {
 public:
  // Finds out whether any of the folders can be covered. Fails with what is missing, and what to
  // do.
  static Result<Covers> find_way(std::span<const std::string> folders);

  // Enters own name spaces. This process must have one thread.
  Result<void> begin();
  bool is_root() const { return is_root_; }
  // Returns the device's descriptor: the process that answers the calls takes it over, and every
  // other copy must be closed.
  Result<Descriptor> cover(const std::string& folder);
  // Returns the folders that are covered.
  const std::vector<std::string>& folders() const { return folders_; }
  // Makes paths lead to the originals again. Open files stay as they are.
  void uncover();

 private:
  bool is_root_ = false;
  std::vector<std::string> folders_;
};

}  // namespace seekless
