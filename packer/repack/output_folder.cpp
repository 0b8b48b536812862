#include "packer/repack/output_folder.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/repack/folder_tree.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr const char* kStagingName = ".seekless-new";
// In the staging folder: the archives; and the list of them, whose presence says that all are
// whole. From then on the move is carried through, by the next run if this one is killed.
constexpr const char* kFilesName = "files";
constexpr const char* kListName = ".seekless-repacked";
constexpr const char* kListTitle =
    "Repacked by seekless; these files are replaced by the next run:";
constexpr uint64_t kMaxListBytes = 64 * 1024 * 1024;

// The files that the list names; none if there is no list. Anyone may have written it, so that
// nothing outside of the folder may come from it.
Result<std::vector<std::string>> listed_files(const std::string& path) {
  std::vector<std::string> names;
  if (kind_of_path(path) == PathKind::missing) return names;
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

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

OutputFolder::OutputFolder(std::string path, bool is_new, FolderLock lock)
    : path_(std::move(path)), is_new_(is_new), lock_(std::move(lock)) {}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)),
      is_new_(other.is_new_),
      is_open_(std::exchange(other.is_open_, false)),
      lock_(std::move(other.lock_)) {}

OutputFolder::~OutputFolder() {
  if (!is_open_) return;
  // Nothing can be told from here; what remains is cleared by the next run.
  (void)remove_tree(staging());
  if (is_new_) remove_empty_folder(path_);
}

std::string OutputFolder::staging() const {
  return path_ + "/" + kStagingName;
}

Result<OutputFolder> OutputFolder::open(const std::string& path) {
  const PathKind kind = kind_of_path(path);
  if (kind != PathKind::missing && kind != PathKind::folder)
    return failed({.file = path,
                   .expected = "a folder",
                   .found = "something else",
                   .advice = "choose another output"});
  if (auto made = make_folders(path); !made) return std::unexpected(made.error());
  auto lock = FolderLock::take(path, "run");
  if (!lock) return std::unexpected(lock.error());
  OutputFolder folder(path, kind == PathKind::missing, *std::move(lock));
  if (!folder.is_new_) {
    folder.is_open_ = false;  // not ours to clear before it is known to be an output's
    const auto staged = plain_files(folder.staging());
    if (!staged) return std::unexpected(staged.error());
    if (contains(*staged, kListName))
      if (auto finished = folder.finish_moves(); !finished)
        return std::unexpected(finished.error());
    if (auto checked = folder.check_contents(); !checked) return std::unexpected(checked.error());
    if (auto cleared = remove_tree(folder.staging()); !cleared)
      return std::unexpected(cleared.error());
    folder.is_open_ = true;
  }
  if (auto made = make_folders(folder.staging()); !made) return std::unexpected(made.error());
  return folder;
}

Result<void> OutputFolder::check_contents() const {
  const auto found = walk_folder(path_);
  if (!found) return std::unexpected(found.error());
  const auto own = listed_files(path_ + "/" + kListName);
  if (!own) return std::unexpected(own.error());
  const auto foreign = std::ranges::find_if(*found, [&](const FoundFile& file) {
    return !file.relative_path.starts_with(std::string(kStagingName) + "/") &&
           file.relative_path != kListName && !contains(*own, file.relative_path);
  });
  if (foreign == found->end()) return {};
  return failed({.file = path_,
                 .expected = "an empty folder or an earlier output of this command",
                 .found = fmt::format("'{}'", foreign->relative_path),
                 .advice = "choose another output folder, or move that away"});
}

Result<std::string> OutputFolder::stage(const std::string& name) const {
  const std::string files = staging() + "/" + kFilesName;
  if (auto made = make_folders(files); !made) return std::unexpected(made.error());
  if (auto made = make_way(files, name); !made) return std::unexpected(made.error());
  return files + "/" + name;
}

Result<void> OutputFolder::commit() {
  const auto names = plain_files(staging() + "/" + kFilesName);
  if (!names) return std::unexpected(names.error());
  // Before anything moves, all the ways must be free.
  for (const std::string& name : *names)
    if (auto checked = check_way(path_, name); !checked) return checked;
  std::string list = std::string(kListTitle) + "\n";
  for (const std::string& name : *names) list += name + "\n";
  if (auto synced = sync_folders(staging() + "/" + kFilesName, *names); !synced) return synced;
  if (auto listed = write_text(staging() + "/" + kListName, list); !listed) return listed;
  is_open_ = false;
  return finish_moves();
}

Result<void> OutputFolder::finish_moves() const {
  const std::string files = staging() + "/" + kFilesName;
  const auto fresh = listed_files(staging() + "/" + kListName);
  if (!fresh) return std::unexpected(fresh.error());
  const auto earlier = listed_files(path_ + "/" + kListName);
  if (!earlier) return std::unexpected(earlier.error());
  const auto staged = plain_files(files);
  if (!staged) return std::unexpected(staged.error());
  for (const std::string& name : *staged) {
    if (!contains(*fresh, name)) continue;
    if (auto made = make_way(path_, name); !made) return made;
    if (auto moved = rename_path(files + "/" + name, path_ + "/" + name); !moved) return moved;
  }
  for (const std::string& name : *earlier) {
    if (contains(*fresh, name)) continue;
    if (auto checked = check_way(path_, name); !checked) return checked;
    if (auto removed = remove_file(path_ + "/" + name); !removed) return removed;
    for (std::string parent = parent_of(name); !parent.empty(); parent = parent_of(parent))
      remove_empty_folder(path_ + "/" + parent);
  }
  // Last, since the one that is there says which files aren't foreign.
  if (auto moved = rename_path(staging() + "/" + kListName, path_ + "/" + kListName); !moved)
    return moved;
  if (auto synced = sync_folders(path_, *fresh); !synced) return synced;
  return remove_tree(staging());
}

}  // namespace seekless
