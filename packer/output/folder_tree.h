// Paths below a folder that files are moved to and from: none may lead out of it through a link,
// and folders come and go with what lies in them.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// "a/b" of "a/b/c", "" of "c".
std::string parent_of(const std::string& relative_path);

// Fails if a link lies on the way from `folder` to the parent of `relative_path`.
Result<void> check_way(const std::string& folder, const std::string& relative_path);

// Makes the folders between `folder` and `relative_path`, after check_way().
Result<void> make_way(const std::string& folder, const std::string& relative_path);

// Relative paths of all files below `folder`, sorted; none if it isn't there. Fails if it is a link
// or anything below it is one; none is followed.
Result<std::vector<std::string>> plain_files(const std::string& folder);

// Removes all files below `folder`, which plain_files() must accept, and the folders.
Result<void> remove_tree(const std::string& folder);

// Removes `folder` and those below it as far as there are no files in them.
Result<void> remove_empty_folders(const std::string& folder);

// Flushes the lists of names of `folder` and of the parents of `relative_paths`.
Result<void> sync_folders(const std::string& folder,
                          const std::vector<std::string>& relative_paths);

}  // namespace seekless
