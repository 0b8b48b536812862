// A folder whose files are replaced as one: the new ones are made in a folder inside it, and moved
// to their places when all are whole. What every way to do so has in common: who may work there,
// and that nothing but the leavings of an earlier run is ever touched. In which order files are
// moved, and how a run that was killed is carried on, is the caller's. A fence stands around it.
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

// The folder of new files; readers know it too.
inline constexpr const char* kNewFolder = runtime::kNewPacksFolder;

class ReplacedFolder {
 public:
  // Makes the folder if need be, and keeps others out of it. `work` is for the error: "build".
  static Result<ReplacedFolder> open(const std::string& path, const std::string& work);
  ReplacedFolder(ReplacedFolder&& other) noexcept;
  ReplacedFolder& operator=(ReplacedFolder&&) = delete;
  ReplacedFolder(const ReplacedFolder&) = delete;
  ReplacedFolder& operator=(const ReplacedFolder&) = delete;
  // Between begin() and leave() or end(): takes away what was made. And the folder, if it is new
  // and empty.
  ~ReplacedFolder();

  const std::string& path() const { return path_; }
  bool is_new() const { return is_new_; }
  // Where to write the file that is to be called `name`.
  std::string staged(const std::string& name) const { return new_folder() + "/" + name; }
  std::string new_folder() const { return path_ + "/" + kNewFolder; }

  // What an earlier run left in the folder of new files: relative paths, sorted. Fails if a link
  // leads to that folder or lies in it, or a file there for which `can_be_ours` is false.
  Result<std::vector<std::string>> left_files(
      const std::function<bool(std::string_view)>& can_be_ours) const;
  // Makes the folder of new files, empty. After left_files().
  Result<void> begin();
  // From now on the replacement is completed: by the next run if this one is killed.
  void leave() { is_begun_ = false; }
  // When all is in place: removes the folder of new files, and what was not moved.
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
