#include "packer/output/replaced_folder.h"

#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/output/folder_tree.h"

namespace seekless {

ReplacedFolder::ReplacedFolder(std::string path, bool is_new, Fence fence, FolderLock lock)
    : path_(std::move(path)), is_new_(is_new), fence_(std::move(fence)), lock_(std::move(lock)) {}

ReplacedFolder::ReplacedFolder(ReplacedFolder&& other) noexcept
    : path_(std::move(other.path_)),
      is_new_(std::exchange(other.is_new_, false)),
      is_begun_(std::exchange(other.is_begun_, false)),
      fence_(std::move(other.fence_)),
      lock_(std::move(other.lock_)) {}

ReplacedFolder::~ReplacedFolder() {
  // An error can't be reported from here; the next run removes the rest.
  try {
    if (is_begun_) (void)remove_tree(new_folder());
  } catch (const std::exception&) {
  }
  if (is_new_) remove_empty_folder(path_);
}

Result<ReplacedFolder> ReplacedFolder::open(const std::string& path, const std::string& work) {
  SKL_TRY(const auto kind, known_kind_of_path(path));
  if (kind != PathKind::missing && kind != PathKind::folder)
    return failed({.file = path,
                   .expected = "a folder",
                   .found = "something else",
                   .advice = "choose another output"});
  SKL_TRY_DO(make_folders(path));
  SKL_TRY(auto fence, Fence::around(path));
  SKL_TRY(auto lock, FolderLock::take(path, work));
  return ReplacedFolder(path, kind == PathKind::missing, std::move(fence), std::move(lock));
}

Result<std::vector<std::string>> ReplacedFolder::left_files(
    const std::function<bool(std::string_view)>& can_be_ours) const {
  auto names = plain_files(new_folder());
  if (!names) return names;
  for (const std::string& name : *names)
    if (!can_be_ours(name))
      return failed({.file = new_folder(),
                     .expected = "a folder with files of an earlier run",
                     .found = fmt::format("'{}'", name),
                     .advice = "move that away, or choose another output folder"});
  return names;
}

Result<void> ReplacedFolder::begin() {
  SKL_TRY_DO(remove_tree(new_folder()));
  is_begun_ = true;
  return make_folders(new_folder());
}

Result<void> ReplacedFolder::end() {
  is_begun_ = false;
  return remove_tree(new_folder());
}

}  // namespace seekless
