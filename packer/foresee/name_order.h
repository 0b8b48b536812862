// Chooses the order in which names are looked up, so that the disk goes over its lists of names and
// its inodes a few times at most. The caller does the lookups: `play` asks the system, a forecast
// charges a simulated drive. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "packer/foresee/learned.h"

namespace seekless {

class NamesOnDisk {
 public:
  virtual ~NamesOnDisk() = default;
  // Returns the inode numbers of what the folder holds, by name, as far as they are known.
  virtual std::unordered_map<std::string, uint64_t> list(const std::string& folder) = 0;
  virtual void look_up(const std::string& path, bool is_folder) = 0;
  virtual bool is_over() { return false; }
};

// Goes from the top down, in rounds: first the inodes of what the last round found, by number,
// which is their disk order on ext4, XFS and similar; then the lists of folders, by place. Names
// are relative to `folder`. Ends early once `is_over` returns true.
void look_up_in_order(const std::string& folder, const std::vector<LearnedName>& names,
                      NamesOnDisk& disk);

}  // namespace seekless
