#include "runtime/adapters/physfs/archive.h"

#include <algorithm>

namespace seekless::physfs {

std::unique_ptr<Archive> Archive::open(const char* path, skl_error* error) {
  skl_context* context = nullptr;
  if (skl_context_create(nullptr, &context, error) != SKL_OK) return nullptr;
  std::unique_ptr<Archive> archive(new Archive(context));
  skl_mount_id mount = 0;
  if (skl_mount(context, path, nullptr, &mount, error) != SKL_OK || !archive->list(error))
    return nullptr;
  return archive;
}

bool Archive::list(skl_error* error) {
  const auto keep = [](void* paths, const char* path, skl_asset, uint64_t) {
    static_cast<std::vector<std::string>*>(paths)->emplace_back(path);
    return 0;
  };
  if (skl_list(context_, keep, &paths_, error) != SKL_OK) return false;
  std::ranges::sort(paths_);
  return true;
}

bool Archive::find(const char* path, FoundFile& found) const {
  return skl_find(context_, path, &found.asset, &found.size_bytes) == SKL_OK;
}

bool Archive::has_folder(std::string_view path) const {
  if (path.empty()) return true;
  const std::string below = std::string(path) + '/';
  const size_t at = first_from(below);
  return at < paths_.size() && paths_[at].starts_with(below);
}

size_t Archive::first_from(std::string_view path) const {
  return static_cast<size_t>(std::ranges::lower_bound(paths_, path) - paths_.begin());
}

// Skips a folder's content: its paths all begin with the folder's path and '/', so they are
// adjacent in the sorted list.
size_t Archive::next_name(size_t at, const std::string& path) const {
  return paths_[at].size() == path.size() ? at + 1 : first_from(path + static_cast<char>('/' + 1));
}

}  // namespace seekless::physfs
