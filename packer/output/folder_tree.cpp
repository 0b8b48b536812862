#include "packer/output/folder_tree.h"

#include <ranges>
#include <set>
#include <utility>

#include "packer/host/fence.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"

namespace seekless {
namespace {

std::unexpected<Error> leads_elsewhere(const std::string& path) {
  return failed({.file = path,
                 .expected = "a plain folder",
                 .found = "a symbolic link, or a path through one",
                 .advice = "nothing is written through links; remove it"});
}

std::string joined(const std::string& folder, const std::string& relative_path) {
  return relative_path.empty() ? folder : folder + "/" + relative_path;
}

// Holds the contents of a folder as relative paths; each folder comes before its contents.
struct Tree {
  std::vector<std::string> files = {};
  std::vector<std::string> folders = {};
};

// Fails at a link, because links are never followed.
Result<void> collect(const std::string& top, const std::string& relative_path, Tree& tree) {
  SKL_TRY(const auto entries, list_folder(joined(top, relative_path)));
  for (const FolderEntry& entry : entries) {
    const std::string path = relative_path.empty() ? entry.name : relative_path + "/" + entry.name;
    if (entry.is_link) return leads_elsewhere(joined(top, path));
    (entry.is_folder ? tree.folders : tree.files).push_back(path);
    if (entry.is_folder) SKL_TRY_DO(collect(top, path, tree));
  }
  return {};
}

Result<Tree> tree_of(const std::string& folder) {
  if (is_link(folder)) return leads_elsewhere(folder);
  Tree tree;
  SKL_TRY(const auto kind, known_kind_of_path(folder));
  if (kind == PathKind::missing) return tree;
  SKL_TRY_DO(collect(folder, "", tree));
  return tree;
}

}  // namespace

std::string parent_of(const std::string& relative_path) {
  const size_t slash = relative_path.rfind('/');
  return slash == std::string::npos ? "" : relative_path.substr(0, slash);
}

Result<void> check_way(const std::string& folder, const std::string& relative_path) {
  if (is_plain_way(folder, parent_of(relative_path))) return {};
  return leads_elsewhere(joined(folder, parent_of(relative_path)));
}

Result<void> make_way(const std::string& folder, const std::string& relative_path) {
  SKL_TRY_DO(check_way(folder, relative_path));
  return make_folders(joined(folder, parent_of(relative_path)));
}

Result<std::vector<std::string>> plain_files(const std::string& folder) {
  SKL_TRY(auto tree, tree_of(folder));
  return std::move(tree.files);
}

Result<void> remove_tree(const std::string& folder) {
  SKL_TRY(const auto tree, tree_of(folder));
  for (const std::string& name : tree.files) SKL_TRY_DO(remove_file(joined(folder, name)));
  for (const std::string& name : std::views::reverse(tree.folders))
    SKL_TRY_DO(remove_folder(joined(folder, name)));
  return remove_folder(folder);
}

Result<void> remove_empty_folders(const std::string& folder) {
  SKL_TRY(const auto tree, tree_of(folder));
  for (const std::string& name : std::views::reverse(tree.folders))
    remove_empty_folder(joined(folder, name));
  remove_empty_folder(folder);
  return {};
}

Result<void> sync_folders(const std::string& folder,
                          const std::vector<std::string>& relative_paths) {
  std::set<std::string> parents = {""};
  for (const std::string& path : relative_paths)
    for (std::string parent = parent_of(path); !parent.empty(); parent = parent_of(parent))
      parents.insert(parent);
  for (const std::string& parent : parents) SKL_TRY_DO(sync_folder(joined(folder, parent)));
  return {};
}

}  // namespace seekless
