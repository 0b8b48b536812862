// Loads the names and inodes of files into the system's memory. On a disk with thousands of small
// files, looking these up one by one costs more seeks than reading the files.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace seekless {

// Goes folder by folder from the top down, then through all files, each time by inode number, which
// is the order on the disk on ext4, XFS and similar. `paths` are relative to `folder`; missing ones
// are skipped. Ends early once `is_over` returns true.
void fetch_names(const std::string& folder, const std::vector<std::string>& paths,
                 const std::function<bool()>& is_over);

}  // namespace seekless
