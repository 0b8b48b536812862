#include "packer/repack/folder_tree.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "packer/host/files.h"
#include "packer/host/whole_files.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> leads_elsewhere(const std::string& path) {
  return failed({.file = path,
                 .expected = "a plain folder",
                 .found = "a symbolic link, or a path through one",
                 .advice = "nothing is written through links; remove it"});
}

std::string joined(const std::string& folder, const std::string& relative_path) {
  return relative_path.empty() ? folder : folder + "/" + relative_path;
}

}  // namespace

std::string parent_of(const std::string& relative_path) {
  const size_t slash = relative_path.rfind('/');
  return slash == std::string::npos ? "" : relative_path.substr(0, slash);
}

Result<void> check_way(const std::string& folder, const std::string& relative_path) {
  const std::string parent = joined(folder, parent_of(relative_path));
  if (canonical_path(parent) == joined(canonical_path(folder), parent_of(relative_path))) return {};
  return leads_elsewhere(parent);
}

Result<void> make_way(const std::string& folder, const std::string& relative_path) {
  if (auto checked = check_way(folder, relative_path); !checked) return checked;
  return make_folders(joined(folder, parent_of(relative_path)));
}

Result<std::vector<std::string>> plain_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  if (fs::is_symlink(folder, error)) return leads_elsewhere(folder);
  if (kind_of_path(folder) == PathKind::missing) return names;
  const auto found = walk_folder(folder);
  if (!found) return std::unexpected(found.error());
  for (const FoundFile& file : *found) {
    if (file.is_link) return leads_elsewhere(folder + "/" + file.relative_path);
    if (auto checked = check_way(folder, file.relative_path); !checked)
      return std::unexpected(checked.error());
    names.push_back(file.relative_path);
  }
  return names;
}

Result<void> remove_tree(const std::string& folder) {
  const auto names = plain_files(folder);
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names)
    if (auto removed = remove_file(folder + "/" + name); !removed) return removed;
  remove_empty_folders(folder);
  return {};
}

void remove_empty_folders(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> folders = {folder};
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_directory(error) && !entry->is_symlink(error))
      folders.push_back(entry->path().string());
  // What lies deeper has the longer path.
  std::ranges::sort(folders, std::ranges::greater(), &std::string::size);
  for (const std::string& each : folders) remove_empty_folder(each);
}

Result<void> sync_folders(const std::string& folder,
                          const std::vector<std::string>& relative_paths) {
  std::set<std::string> parents = {""};
  for (const std::string& path : relative_paths)
    for (std::string parent = parent_of(path); !parent.empty(); parent = parent_of(parent))
      parents.insert(parent);
  for (const std::string& parent : parents)
    if (auto synced = sync_folder(joined(folder, parent)); !synced) return synced;
  return {};
}

}  // namespace seekless
