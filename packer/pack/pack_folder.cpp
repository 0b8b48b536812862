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
  auto opened = ReplacedFolder::open(path, "build or pack");
  if (!opened) return std::unexpected(opened.error());
  PackFolder folder(*std::move(opened), std::move(known));
  if (!folder.folder_.is_new()) {
    if (const auto finished = finish_switch(folder.folder_); !finished)
      return std::unexpected(finished.error());
    if (auto checked = folder.check_contents(); !checked) return std::unexpected(checked.error());
  }
  if (auto begun = folder.folder_.begin(); !begun) return std::unexpected(begun.error());
  return folder;
}

// Returns the files of the present set, or of what is left of it.
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
  const auto found = walk_folder(path());
  if (!found) return std::unexpected(found.error());
  const auto own = own_files();
  if (!own) return std::unexpected(own.error());
  const auto foreign = std::ranges::find_if(*found, [&](const FoundFile& file) {
    return !file.relative_path.starts_with(std::string(kNewFolder) + "/") &&
           !file.relative_path.starts_with(std::string(kOldFolder) + "/") &&
           !contains(*own, file.relative_path);
  });
  if (foreign == found->end()) return {};
  return failed({.file = path(),
                 .expected = "an empty folder or an earlier pack set",
                 .found = fmt::format("'{}'", foreign->relative_path),
                 .advice = "choose another output folder, or move that away"});
}

Result<void> PackFolder::commit() {
  const auto old_files = own_files();
  if (!old_files) return std::unexpected(old_files.error());
  const auto new_files = files_of_set(folder_.new_folder());
  if (!new_files) return std::unexpected(new_files.error());
  std::vector<std::string> stale;
  for (const std::string& name : *old_files)
    if (!contains(*new_files, name)) stale.push_back(name);
  return switch_set(folder_, stale, false);
}

}  // namespace seekless
