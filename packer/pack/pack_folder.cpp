#include "packer/pack/pack_folder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/output/folder_tree.h"
#include "packer/pack/set_switch.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Result<PackFolder> PackFolder::open(const std::string& path, std::vector<std::string> known) {
  SKL_TRY(auto opened, ReplacedFolder::open(path, "build or pack"));
  PackFolder folder(std::move(opened), std::move(known));
  if (!folder.folder_.is_new()) {
    SKL_TRY_DROP(finish_switch(folder.folder_));
    SKL_TRY_DO(folder.check_contents());
  }
  SKL_TRY_DO(folder.folder_.begin());
  return folder;
}

// Returns the files of the present set, or those that are left of it.
Result<std::vector<std::string>> PackFolder::own_files() const {
  auto names = files_of_set(path());
  if (names && !names->empty()) return names;
  if (known_.empty()) return names;
  std::vector<std::string> left = {runtime::kCatalogName};
  for (const std::string& name : known_)
    if (is_pack_file(name)) left.push_back(name);
  return left;
}

Result<void> PackFolder::check_contents() const {
  SKL_TRY(const auto found, walk_folder(path()));
  SKL_TRY(const auto own, own_files());
  const auto foreign = std::ranges::find_if(found, [&](const FoundFile& file) {
    return !file.relative_path.starts_with(std::string(kNewFolder) + "/") &&
           !file.relative_path.starts_with(std::string(kOldFolder) + "/") &&
           !contains(own, file.relative_path);
  });
  if (foreign == found.end()) return {};
  return failed({.file = path(),
                 .expected = "an empty folder or an earlier pack set",
                 .found = fmt::format("'{}'", foreign->relative_path),
                 .advice = "choose another output folder, or move that away"});
}

Result<void> PackFolder::commit() {
  SKL_TRY(const auto old_files, own_files());
  SKL_TRY(const auto new_files, files_of_set(folder_.new_folder()));
  std::vector<std::string> stale;
  for (const std::string& name : old_files)
    if (!contains(new_files, name)) stale.push_back(name);
  return switch_set(folder_, stale, false);
}

}  // namespace seekless
