#include "packer/pack/pack_folder.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/leftovers.h"
#include "packer/host/pending_file.h"
#include "packer/host/runtime_error.h"
#include "runtime/catalog.h"
#include "runtime/pack_set.h"

namespace seekless {
namespace {

// Its presence in the folder of new files says that everything there is whole: from then on the
// move is carried through, by the next run if this one is killed. It lists the old packs to be
// removed.
constexpr const char* kCompleteName = "complete";
constexpr uint64_t kMaxListBytes = 64 * 1024 * 1024;

// A file that can be ours: one that `pack` writes, right in the folder. A catalog may be forged, so
// nothing else is ever removed or replaced.
bool is_pack_file(std::string_view name) {
  return name.ends_with(".skl") && name.find('/') == std::string_view::npos;
}

bool can_be_staged(std::string_view name) {
  return is_pack_file(name) || is_temporary_name(name) || name == kCompleteName;
}

// The files of the set in `folder`; none if there is no catalog.
Result<std::vector<std::string>> files_of_set(const std::string& folder) {
  const std::string path = folder + "/" + runtime::kCatalogName;
  std::vector<std::string> names;
  const auto kind = known_kind_of_path(path);
  if (!kind) return std::unexpected(kind.error());
  if (*kind == PathKind::missing) return names;
  const auto io = runtime::make_system_file_io();
  const auto file = io->open(path);
  const auto catalog = file ? runtime::Catalog::open(**file) : std::unexpected(file.error());
  if (!catalog && is_unseen(catalog.error())) return from_runtime(catalog.error());
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

Result<PackFolder> PackFolder::open(const std::string& path, std::vector<std::string> known) {
  auto opened = ReplacedFolder::open(path, "build or pack");
  if (!opened) return std::unexpected(opened.error());
  PackFolder folder(*std::move(opened), std::move(known));
  if (!folder.folder_.is_new()) {
    const auto left = folder.folder_.left_files(can_be_staged);
    if (!left) return std::unexpected(left.error());
    if (contains(*left, kCompleteName))
      if (auto finished = folder.finish_moves(); !finished)
        return std::unexpected(finished.error());
    if (auto checked = folder.check_contents(); !checked) return std::unexpected(checked.error());
  }
  if (auto begun = folder.folder_.begin(); !begun) return std::unexpected(begun.error());
  return folder;
}

// Of the set that is there, or of what is left of it.
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
  std::string stale;
  for (const std::string& name : *old_files)
    if (!contains(*new_files, name)) stale += name + "\n";
  if (auto marked = write_text(staged(kCompleteName), stale); !marked) return marked;
  folder_.leave();
  return finish_moves();
}

Result<void> PackFolder::finish_moves() {
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
  const auto found = folder_.left_files(can_be_staged);
  if (!found) return std::unexpected(found.error());
  const auto move = [this](const std::string& name) {
    return rename_path(staged(name), in_place(name));
  };
  // The catalog goes first: it makes the packs a set, wherever they are (runtime::path_of_pack).
  const auto kind = known_kind_of_path(staged(runtime::kCatalogName));
  if (!kind) return std::unexpected(kind.error());
  if (*kind == PathKind::file) {
    if (auto moved = move(runtime::kCatalogName); !moved) return moved;
    if (auto synced = sync_folder(path()); !synced) return synced;
  }
  for (const std::string& name : *found) {
    if (name == runtime::kCatalogName || !is_pack_file(name)) continue;
    if (auto moved = move(name); !moved) return moved;
  }
  for (const std::string& name : stale_names)
    if (auto removed = remove_file(in_place(name)); !removed) return removed;
  if (auto synced = sync_folder(path()); !synced) return synced;
  return folder_.end();
}

}  // namespace seekless
