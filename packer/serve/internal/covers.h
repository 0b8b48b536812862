// Covers folders with mounts, and uncovers them: with mounts that only this process and its
// children see, or, where those aren't allowed, with mounts of fusermount3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"
#include "packer/serve/internal/helper_mount.h"

namespace seekless {

class Covers {
 public:
  // Finds out which way works for any of the folders. Fails with what is missing, and what to do.
  static Result<Covers> find_way(std::span<const std::string> folders);

  // Enters own name spaces, if that is the way. This process must have one thread.
  Result<void> begin();
  bool is_root() const { return is_root_; }
  // Returns the device's descriptor: the process that answers the calls takes it over, and every
  // other copy must be closed.
  Result<Descriptor> cover(const std::string& folder);
  // Returns the folders that are covered.
  const std::vector<std::string>& folders() const { return folders_; }
  // Makes paths lead to the originals again. Open files stay as they are.
  void uncover();
  // Ends the mounts for those outside of this process's children who still use them.
  void cut_off() const;

 private:
  explicit Covers(bool has_own_mounts) : has_own_mounts_(has_own_mounts) {}

  bool has_own_mounts_;
  bool is_root_ = false;
  std::vector<std::string> folders_;
  std::vector<HelperMount> by_helper_;
};

}  // namespace seekless
