// Brings the names of files, and what the file system knows of them, into the system's memory: on a
// disk with thousands of small files these cost more seeks than their bytes, if they are looked up
// one by one.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace seekless {

// Folder by folder from the top down, and all files at the end, each time by inode number, which is
// the order of the disk on ext4, XFS and their like. `paths` are relative to `folder`; those that
// aren't there are passed over. Ends early once `is_over` says so.
void fetch_names(const std::string& folder, const std::vector<std::string>& paths,
                 const std::function<bool()>& is_over);

}  // namespace seekless
