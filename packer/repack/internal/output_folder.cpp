#include "packer/repack/internal/output_folder.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/leftovers.h"
#include "packer/output/folder_tree.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// Names in the folder of new files: the archives, and a list of them. Once the list exists, all
// archives are whole. From then on the move is completed, by the next run if this one is killed.
constexpr const char* kFilesName = "files";
constexpr const char* kListName = ".seekless-repacked";
constexpr const char* kListTitle =
    "Repacked by seekless; these files are replaced by the next run:";
constexpr uint64_t kMaxListBytes = 64 * 1024 * 1024;

// Returns the files that the list names; none if there is no list. Anyone may have written the
// list, so names that lead outside of the folder are refused.
Result<std::vector<std::string>> listed_files(const std::string& path) {
  std::vector<std::string> names;
  const auto kind = known_kind_of_path(path);
  if (!kind) return std::unexpected(kind.error());
  if (*kind == PathKind::missing) return names;
  const auto text = read_text(path, kMaxListBytes);
  if (!text) return std::unexpected(text.error());
  std::istringstream lines(*text);
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
  auto opened = ReplacedFolder::open(path, "run");
  if (!opened) return std::unexpected(opened.error());
  OutputFolder folder(*std::move(opened));
  if (!folder.folder_.is_new()) {
    const auto left = folder.folder_.left_files(can_be_staged);
    if (!left) return std::unexpected(left.error());
    if (contains(*left, kListName))
      if (auto finished = folder.finish_moves(); !finished)
        return std::unexpected(finished.error());
    if (auto checked = folder.check_contents(); !checked) return std::unexpected(checked.error());
  }
  if (auto begun = folder.folder_.begin(); !begun) return std::unexpected(begun.error());
  if (auto made = make_folders(folder.new_files()); !made) return std::unexpected(made.error());
  return folder;
}

Result<void> OutputFolder::check_contents() const {
  const auto found = walk_folder(folder_.path());
  if (!found) return std::unexpected(found.error());
  const auto own = listed_files(in_place(kListName));
  if (!own) return std::unexpected(own.error());
  const auto foreign = std::ranges::find_if(*found, [&](const FoundFile& file) {
    return !file.relative_path.starts_with(std::string(kNewFolder) + "/") &&
           file.relative_path != kListName && !contains(*own, file.relative_path);
  });
  if (foreign == found->end()) return {};
  return failed({.file = folder_.path(),
                 .expected = "an empty folder or an earlier output of this command",
                 .found = fmt::format("'{}'", foreign->relative_path),
                 .advice = "choose another output folder, or move that away"});
}

Result<std::string> OutputFolder::stage(const std::string& name) const {
  if (auto made = make_way(new_files(), name); !made) return std::unexpected(made.error());
  return new_files() + "/" + name;
}

Result<void> OutputFolder::commit() {
  const auto names = plain_files(new_files());
  if (!names) return std::unexpected(names.error());
  // Checks that every destination is free before anything moves.
  for (const std::string& name : *names)
    if (auto checked = check_way(folder_.path(), name); !checked) return checked;
  std::string list = std::string(kListTitle) + "\n";
  for (const std::string& name : *names) list += name + "\n";
  if (auto synced = sync_folders(new_files(), *names); !synced) return synced;
  if (auto listed = write_text(folder_.staged(kListName), list); !listed) return listed;
  folder_.leave();
  return finish_moves();
}

Result<void> OutputFolder::finish_moves() {
  const std::string files = new_files();
  const auto fresh = listed_files(folder_.staged(kListName));
  if (!fresh) return std::unexpected(fresh.error());
  const auto earlier = listed_files(in_place(kListName));
  if (!earlier) return std::unexpected(earlier.error());
  const auto staged = plain_files(files);
  if (!staged) return std::unexpected(staged.error());
  for (const std::string& name : *staged) {
    if (!contains(*fresh, name)) continue;
    if (auto made = make_way(folder_.path(), name); !made) return made;
    if (auto moved = rename_path(files + "/" + name, in_place(name)); !moved) return moved;
  }
  for (const std::string& name : *earlier) {
    if (contains(*fresh, name)) continue;
    if (auto checked = check_way(folder_.path(), name); !checked) return checked;
    if (auto removed = remove_file(in_place(name)); !removed) return removed;
    for (std::string parent = parent_of(name); !parent.empty(); parent = parent_of(parent))
      remove_empty_folder(in_place(parent));
  }
  // The list moves last, because the old one tells which files are ours.
  if (auto moved = rename_path(folder_.staged(kListName), in_place(kListName)); !moved)
    return moved;
  if (auto synced = sync_folders(folder_.path(), *fresh); !synced) return synced;
  return folder_.end();
}

}  // namespace seekless
