// What file_stamp.h is made of, by each system in its own way: what lies in one folder, with its
// stamps, and how fine the clock is that stamps it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/file_stamp.h"

namespace seekless {

// Equal for two paths that lead to one folder.
struct FolderId {
  uint64_t device = 0;
  uint64_t inode = 0;

  bool operator==(const FolderId&) const = default;
};

struct StampedEntry {
  std::string name;   // a folder's ends in '/', so that names are sorted as whole paths are
  ChangeStamp stamp;  // of a file
  bool is_folder = false;
};

struct FolderStamps {
  FolderId id;
  std::vector<StampedEntry> entries;  // regular files and folders, links followed, in any order
};

// Links that lead nowhere are left out, and so is what goes meanwhile.
Result<FolderStamps> read_folder_stamps(const std::string& folder);

// The clock that stamps files moves by no more than this.
int64_t file_clock_tick_ns();

}  // namespace seekless
