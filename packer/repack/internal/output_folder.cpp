#include "packer/repack/internal/output_folder.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/leftovers.h"
#include "packer/output/folder_tree.h"
#include "packer/repack/archive_set.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// Names in the folder of new files: the archives, and a list of them. Once the list exists, all
// archives are whole. From then on, if this run is killed, the next one completes the move.
constexpr const char* kFilesName = "files";
constexpr const char* kListName = kRepackedListName;
constexpr const char* kListTitle =
    "Repacked by seekless; these files are replaced by the next run:";
constexpr uint64_t kMaxListBytes = 64 * 1024 * 1024;

// Returns the files that the list names; none if there is no list. Anyone may have written the
// list, so names that lead outside of the folder are refused.
Result<std::vector<std::string>> listed_files(const std::string& path) {
  std::vector<std::string> names;
  SKL_TRY(const auto kind, known_kind_of_path(path));
  if (kind == PathKind::missing) return names;
  SKL_TRY(const auto text, read_text(path, kMaxListBytes));
  std::istringstream lines(text);
  std::string name;
  if (!std::getline(lines, name) || name != kListTitle)
    return damaged({.file = path,
                    .place = "line 1",
                    .expected = fmt::format("'{}'", kListTitle),
                    .found = fmt::format("'{}'", name.substr(0, 100)),
                    .advice = "choose another output folder"});
  while (std::getline(lines, name)) {
    if (const PathFault fault = check_asset_path(name); fault != PathFault::none)
      return damaged({.file = path,
                      .expected = "relative paths",
                      .found = describe(fault),
                      .advice = "choose another output folder"});
    names.push_back(name);
  }
  return names;
}

bool can_be_staged(std::string_view name) {
  return name == kListName || is_temporary_name(name) ||
         name.starts_with(std::string(kFilesName) + "/");
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string OutputFolder::new_files() const {
  return folder_.staged(kFilesName);
}

Result<OutputFolder> OutputFolder::open(const std::string& path) {
  SKL_TRY(auto opened, ReplacedFolder::open(path, "run"));
  OutputFolder folder(std::move(opened));
  if (!folder.folder_.is_new()) {
    SKL_TRY(const auto left, folder.folder_.left_files(can_be_staged));
    if (contains(left, kListName)) SKL_TRY_DO(folder.finish_moves());
    SKL_TRY_DO(folder.check_contents());
  }
  SKL_TRY_DO(folder.folder_.begin());
  SKL_TRY_DO(make_folders(folder.new_files()));
  return folder;
}

Result<void> OutputFolder::check_contents() const {
  SKL_TRY(const auto found, walk_folder(folder_.path()));
  SKL_TRY(const auto own, listed_files(in_place(kListName)));
  const auto foreign = std::ranges::find_if(found, [&](const FoundFile& file) {
    return !file.relative_path.starts_with(std::string(kNewFolder) + "/") &&
           file.relative_path != kListName && !contains(own, file.relative_path);
  });
  if (foreign == found.end()) return {};
  return failed({.file = folder_.path(),
                 .expected = "an empty folder or an earlier output of this command",
                 .found = fmt::format("'{}'", foreign->relative_path),
                 .advice = "choose another output folder, or move that away"});
}

Result<std::string> OutputFolder::stage(const std::string& name) const {
  SKL_TRY_DO(make_way(new_files(), name));
  return new_files() + "/" + name;
}

Result<void> OutputFolder::commit() {
  SKL_TRY(const auto names, plain_files(new_files()));
  // Checks that every destination is free before anything moves.
  for (const std::string& name : names) SKL_TRY_DO(check_way(folder_.path(), name));
  std::string list = std::string(kListTitle) + "\n";
  for (const std::string& name : names) list += name + "\n";
  SKL_TRY_DO(sync_folders(new_files(), names));
  SKL_TRY_DO(write_text(folder_.staged(kListName), list));
  folder_.leave();
  return finish_moves();
}

Result<void> OutputFolder::finish_moves() {
  const std::string files = new_files();
  SKL_TRY(const auto fresh, listed_files(folder_.staged(kListName)));
  SKL_TRY(const auto earlier, listed_files(in_place(kListName)));
  SKL_TRY(const auto staged, plain_files(files));
  for (const std::string& name : staged) {
    if (!contains(fresh, name)) continue;
    SKL_TRY_DO(make_way(folder_.path(), name));
    SKL_TRY_DO(rename_path(files + "/" + name, in_place(name)));
  }
  for (const std::string& name : earlier) {
    if (contains(fresh, name)) continue;
    SKL_TRY_DO(check_way(folder_.path(), name));
    SKL_TRY_DO(remove_file(in_place(name)));
    for (std::string parent = parent_of(name); !parent.empty(); parent = parent_of(parent))
      remove_empty_folder(in_place(parent));
  }
  // The list moves last, because until then the old list tells which files are ours.
  SKL_TRY_DO(rename_path(folder_.staged(kListName), in_place(kListName)));
  SKL_TRY_DO(sync_folders(folder_.path(), fresh));
  return folder_.end();
}

}  // namespace seekless
