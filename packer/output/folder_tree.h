// Handles paths below a folder, into and out of which files are moved. No path may leave the folder
// through a link. Folders are created and removed with their files.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Returns "a/b" for "a/b/c", and "" for "c".
std::string parent_of(const std::string& relative_path);

// Fails if a link lies on the way from `folder` to the parent of `relative_path`.
Result<void> check_way(const std::string& folder, const std::string& relative_path);

// Makes the folders between `folder` and `relative_path`, after check_way().
Result<void> make_way(const std::string& folder, const std::string& relative_path);

// Returns the relative paths of all files below `folder`, sorted; none if it doesn't exist. Fails
// if the folder or anything below it is a link; no link is followed.
Result<std::vector<std::string>> plain_files(const std::string& folder);

// Removes all files below `folder`, which plain_files() must accept, and the folders.
Result<void> remove_tree(const std::string& folder);

// Removes `folder` and the folders below it, except those that still hold files.
Result<void> remove_empty_folders(const std::string& folder);

// Flushes lists of names: that of `folder`, and those of the parents of `relative_paths`.
Result<void> sync_folders(const std::string& folder,
                          const std::vector<std::string>& relative_paths);

}  // namespace seekless
