// Replaces all files of a folder together. The new files are made in a folder inside it, and moved
// to their places when all are whole. This file holds the parts that all such replacements share:
// locking the folder, fencing it, and removing only the remains of an earlier run. The caller
// decides the order of the moves, and how to continue a killed run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/fence.h"
#include "packer/host/folder_lock.h"
#include "runtime/pack_set.h"

namespace seekless {

// The name of the folder of new files; readers know it too.
inline constexpr const char* kNewFolder = runtime::kNewPacksFolder;

class ReplacedFolder {
 public:
  // Makes the folder if it is missing, and locks it. `work`, such as "build", is for the error.
  static Result<ReplacedFolder> open(const std::string& path, const std::string& work);
  ReplacedFolder(ReplacedFolder&& other) noexcept;
  ReplacedFolder& operator=(ReplacedFolder&&) = delete;
  ReplacedFolder(const ReplacedFolder&) = delete;
  ReplacedFolder& operator=(const ReplacedFolder&) = delete;
  // Between begin() and leave() or end(), removes what was made, and the folder too if it is new
  // and empty.
  ~ReplacedFolder();

  const std::string& path() const { return path_; }
  bool is_new() const { return is_new_; }
  // Returns the path at which to write the file that will be called `name`.
  std::string staged(const std::string& name) const { return new_folder() + "/" + name; }
  std::string new_folder() const { return path_ + "/" + kNewFolder; }

  // Returns the relative paths of the files that an earlier run left in the folder of new files,
  // sorted. Fails if that folder is a link or holds one, or if it holds a file for which
  // `can_be_ours` returns false.
  Result<std::vector<std::string>> left_files(
      const std::function<bool(std::string_view)>& can_be_ours) const;
  // Makes the empty folder of new files. Call left_files() before.
  Result<void> begin();
  // From now on the replacement will be completed, by the next run if this one is killed.
  void leave() { is_begun_ = false; }
  // Call this when all files are in place. It removes the folder of new files and everything left
  // in it.
  Result<void> end();

 private:
  ReplacedFolder(std::string path, bool is_new, Fence fence, FolderLock lock);

  std::string path_;
  bool is_new_ = false;
  bool is_begun_ = false;
  Fence fence_;
  FolderLock lock_;
};

}  // namespace seekless
