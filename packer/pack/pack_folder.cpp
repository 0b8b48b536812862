#include "packer/pack/pack_folder.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "runtime/catalog.h"
#include "runtime/pack_set.h"

namespace seekless {
namespace {

constexpr const char* kStagingName = runtime::kNewPacksFolder;
// Its presence in the staging folder says that everything there is whole: from then on the move is
// carried through, by the next run if this one is killed. It lists the old packs to be removed.
constexpr const char* kCompleteName = "complete";
constexpr uint64_t kMaxListBytes = 64 * 1024 * 1024;

// A file that can be ours: one that `pack` writes, right in the folder. A catalog may be forged, so
// nothing else is ever removed or replaced.
bool is_pack_file(std::string_view name) {
  return name.ends_with(".skl") && name.find('/') == std::string_view::npos;
}

// The files of the set in `folder`; none if there is no catalog.
Result<std::vector<std::string>> files_of_set(const std::string& folder) {
  const std::string path = folder + "/" + runtime::kCatalogName;
  std::vector<std::string> names;
  if (kind_of_path(path) == PathKind::missing) return names;
  const auto io = runtime::make_system_file_io();
  const auto file = io->open(path);
  const auto catalog = file ? runtime::Catalog::open(**file) : std::unexpected(file.error());
  if (!catalog)
    return failed({.file = folder,
                   .expected = "an earlier pack set",
                   .found = catalog.error().message,
                   .advice = "choose another output folder, or remove that set"});
  for (const auto& pack : (*catalog)->packs())
    if (is_pack_file((*catalog)->name(pack))) names.emplace_back((*catalog)->name(pack));
  names.emplace_back(runtime::kCatalogName);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

PackFolder::PackFolder(std::string path, bool is_new, FolderLock lock)
    : path_(std::move(path)), is_new_(is_new), lock_(std::move(lock)) {}

PackFolder::PackFolder(PackFolder&& other) noexcept
    : path_(std::move(other.path_)),
      is_new_(other.is_new_),
      lock_(std::move(other.lock_)),
      known_(std::move(other.known_)),
      open_(std::exchange(other.open_, false)) {}

PackFolder::~PackFolder() {
  if (!open_) return;
  // Nothing can be told from here; what remains is cleared by the next run.
  (void)clear_staging();
  if (is_new_) remove_empty_folder(path_);
}

std::string PackFolder::staging() const {
  return path_ + "/" + kStagingName;
}

std::string PackFolder::staged(const std::string& name) const {
  return staging() + "/" + name;
}

Result<PackFolder> PackFolder::open(const std::string& path, std::vector<std::string> known) {
  const PathKind kind = kind_of_path(path);
  if (kind != PathKind::missing && kind != PathKind::folder)
    return failed({.file = path,
                   .expected = "a folder",
                   .found = "something else",
                   .advice = "choose another output"});
  if (auto made = make_folders(path); !made) return std::unexpected(made.error());
  auto lock = FolderLock::take(path, "build or pack");
  if (!lock) return std::unexpected(lock.error());
  PackFolder folder(path, kind == PathKind::missing, *std::move(lock));
  folder.known_ = std::move(known);
  if (!folder.is_new_) {
    folder.open_ = false;  // not ours to clear before it is known to be a pack set's
    if (auto checked = folder.check_staging(); !checked) return std::unexpected(checked.error());
    if (kind_of_path(folder.staged(kCompleteName)) == PathKind::file)
      if (auto finished = folder.finish_moves(); !finished)
        return std::unexpected(finished.error());
    if (auto checked = folder.check_contents(); !checked) return std::unexpected(checked.error());
    if (auto cleared = folder.clear_staging(); !cleared) return std::unexpected(cleared.error());
    folder.open_ = true;
  }
  if (auto made = make_folders(folder.staging()); !made) return std::unexpected(made.error());
  return folder;
}

// Of the set that is there, or of what is left of it.
Result<std::vector<std::string>> PackFolder::own_files() const {
  auto names = files_of_set(path_);
  if (names && !names->empty()) return names;
  if (known_.empty()) return names;
  std::vector<std::string> left = {runtime::kCatalogName};
  for (const std::string& name : known_)
    if (is_pack_file(name)) left.push_back(name);
  return left;
}

Result<void> PackFolder::check_contents() const {
  const auto found = walk_folder(path_);
  if (!found) return std::unexpected(found.error());
  const auto own = own_files();
  if (!own) return std::unexpected(own.error());
  const auto foreign = std::ranges::find_if(*found, [&](const FoundFile& file) {
    return !file.relative_path.starts_with(std::string(kStagingName) + "/") &&
           !contains(*own, file.relative_path);
  });
  if (foreign == found->end()) return {};
  return failed({.file = path_,
                 .expected = "an empty folder or an earlier pack set",
                 .found = fmt::format("'{}'", foreign->relative_path),
                 .advice = "choose another output folder, or move that away"});
}

// That it holds nothing but files of an earlier run: no link leads out of it, nor a folder in.
Result<void> PackFolder::check_staging() const {
  const PathKind kind = kind_of_path(staging());
  if (kind == PathKind::missing) return {};
  const auto refused = [this](const std::string& found) {
    return failed({.file = staging(),
                   .expected = "a folder with files of an earlier run",
                   .found = found,
                   .advice = "move that away, or choose another output folder"});
  };
  if (kind != PathKind::folder ||
      canonical_path(staging()) != canonical_path(path_) + "/" + kStagingName)
    return refused("something else");
  const auto found = walk_folder(staging());
  if (!found) return std::unexpected(found.error());
  for (const FoundFile& file : *found) {
    const std::string& name = file.relative_path;
    const bool ours = is_pack_file(name) || name == kCompleteName ||
                      (name.starts_with(".seekless-") && name.ends_with(".tmp") &&
                       name.find('/') == std::string::npos);
    if (!ours || file.is_link) return refused(fmt::format("'{}'", name));
  }
  return {};
}

Result<void> PackFolder::clear_staging() const {
  if (kind_of_path(staging()) != PathKind::folder) return {};
  const auto found = walk_folder(staging());
  if (!found) return std::unexpected(found.error());
  for (const FoundFile& file : *found)
    if (auto removed = remove_file(staged(file.relative_path)); !removed) return removed;
  remove_empty_folder(staging());
  return {};
}

Result<void> PackFolder::commit() {
  const auto old_files = own_files();
  if (!old_files) return std::unexpected(old_files.error());
  const auto new_files = files_of_set(staging());
  if (!new_files) return std::unexpected(new_files.error());
  std::string stale;
  for (const std::string& name : *old_files)
    if (!contains(*new_files, name)) stale += name + "\n";
  if (auto marked = write_text(staged(kCompleteName), stale); !marked) return marked;
  open_ = false;
  return finish_moves();
}

Result<void> PackFolder::finish_moves() const {
  const auto stale = read_text(staged(kCompleteName), kMaxListBytes);
  if (!stale) return std::unexpected(stale.error());
  std::vector<std::string> stale_names;
  std::istringstream lines(*stale);
  for (std::string name; std::getline(lines, name); stale_names.push_back(name))
    if (!is_pack_file(name))
      return damaged({.file = staged(kCompleteName),
                      .expected = "names of packs",
                      .found = fmt::format("'{}'", name),
                      .advice = "remove that folder, and pack again"});
  const auto found = walk_folder(staging());
  if (!found) return std::unexpected(found.error());
  const auto move = [this](const std::string& name) {
    return rename_path(staged(name), path_ + "/" + name);
  };
  // The catalog goes first: it makes the packs a set, wherever they are (runtime::path_of_pack).
  if (kind_of_path(staged(runtime::kCatalogName)) == PathKind::file) {
    if (auto moved = move(runtime::kCatalogName); !moved) return moved;
    if (auto synced = sync_folder(path_); !synced) return synced;
  }
  for (const FoundFile& file : *found) {
    const std::string& name = file.relative_path;
    if (name == runtime::kCatalogName || !is_pack_file(name)) continue;
    if (auto moved = move(name); !moved) return moved;
  }
  for (const std::string& name : stale_names)
    if (auto removed = remove_file(path_ + "/" + name); !removed) return removed;
  if (auto synced = sync_folder(path_); !synced) return synced;
  return clear_staging();
}

}  // namespace seekless
