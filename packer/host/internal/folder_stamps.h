// The system-specific part of file_stamp.h: the stamps of the entries of one folder, and the
// resolution of the clock that stamps files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/file_stamp.h"

namespace seekless {

// Two paths to one folder have equal ids.
struct FolderId {
  uint64_t device = 0;
  uint64_t inode = 0;

  bool operator==(const FolderId&) const = default;
};

struct StampedEntry {
  std::string name;   // a folder's name ends in '/', so that names sort as whole paths do
  ChangeStamp stamp;  // set for files
  bool is_folder = false;
};

struct FolderStamps {
  FolderId id;
  std::vector<StampedEntry> entries;  // regular files and folders, links followed, in any order
};

// Leaves out dangling links, and files that are removed during the call.
Result<FolderStamps> read_folder_stamps(const std::string& folder);

// Returns the longest step of the clock that stamps files.
int64_t file_clock_tick_ns();

}  // namespace seekless
