#include "packer/pack/set_switch.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/folder_tree.h"
#include "packer/host/leftovers.h"
#include "packer/host/runtime_error.h"
#include "packer/pack/file_edit.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

// Its presence in the folder of new files says that everything there is whole: from then on the
// move is carried through, by the next run if this one is killed. It lists the old packs that the
// new set hasn't, and says if old files stay.
constexpr const char* kCompleteName = "complete";
constexpr const char* kKeepsOld = "keeps old files";
constexpr uint64_t kMaxListBytes = 64 * 1024 * 1024;
constexpr uint64_t kMostOldCatalogBytes = uint64_t{16} << 30;

struct Switch {
  std::vector<std::string> stale;
  bool keeps_old = false;
};

Result<void> write_switch(const Switch& told, const std::string& path) {
  std::string text = told.keeps_old ? fmt::format("{}\n", kKeepsOld) : "";
  for (const std::string& name : told.stale) text += name + "\n";
  return write_text(path, text);
}

Result<Switch> read_switch(const std::string& path) {
  const auto text = read_text(path, kMaxListBytes);
  if (!text) return std::unexpected(text.error());
  Switch told;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line == kKeepsOld) {
      told.keeps_old = true;
      continue;
    }
    if (!is_pack_file(line))
      return damaged({.file = path,
                      .expected = "names of packs",
                      .found = fmt::format("'{}'", line),
                      .advice = "remove that folder, and pack again"});
    told.stale.push_back(std::move(line));
  }
  return told;
}

// The old catalog is copied: readers need one at every moment.
Result<void> begin_old_folder(const std::string& folder) {
  const std::string old = folder + "/" + kOldFolder;
  if (auto removed = remove_tree(old); !removed) return removed;
  if (auto made = make_folders(old); !made) return made;
  const auto catalog = read_text(folder + "/" + runtime::kCatalogName, kMostOldCatalogBytes);
  if (!catalog) return std::unexpected(catalog.error());
  return write_text(old + "/" + runtime::kCatalogName, *catalog);
}

Result<bool> is_there(const std::string& path) {
  const auto kind = known_kind_of_path(path);
  if (!kind) return std::unexpected(kind.error());
  return *kind != PathKind::missing;
}

// Out of the way of a new file.
Result<void> put_away(const std::string& folder, const std::string& name, bool keeps_old) {
  const std::string path = folder + "/" + name;
  if (!keeps_old) return remove_file(path);
  const auto exists = is_there(path);
  if (!exists) return std::unexpected(exists.error());
  return *exists ? rename_path(path, folder + "/" + kOldFolder + "/" + name) : Result<void>{};
}

bool is_journal(std::string_view name) {
  return name.ends_with(kEditSuffix) &&
         is_pack_file(name.substr(0, name.size() - kEditSuffix.size()));
}

Result<void> finish_edits(const ReplacedFolder& folder, const std::vector<std::string>& staged) {
  for (const std::string& name : staged) {
    if (!is_journal(name)) continue;
    const std::string edited = name.substr(0, name.size() - kEditSuffix.size());
    if (auto done = carry_out_edit(folder.staged(name), folder.path() + "/" + edited); !done)
      return done;
  }
  return {};
}

Result<void> move_all(const ReplacedFolder& folder, const Switch& told,
                      const std::vector<std::string>& staged) {
  const auto in_place = [&](const std::string& name) { return folder.path() + "/" + name; };
  if (std::ranges::find(staged, runtime::kCatalogName) != staged.end()) {
    if (auto moved =
            rename_path(folder.staged(runtime::kCatalogName), in_place(runtime::kCatalogName));
        !moved)
      return moved;
    if (auto synced = sync_folder(folder.path()); !synced) return synced;
  }
  for (const std::string& name : staged) {
    if (name == runtime::kCatalogName || !is_pack_file(name)) continue;
    if (told.keeps_old)
      if (auto away = put_away(folder.path(), name, true); !away) return away;
    if (auto moved = rename_path(folder.staged(name), in_place(name)); !moved) return moved;
  }
  for (const std::string& name : told.stale)
    if (auto away = put_away(folder.path(), name, told.keeps_old); !away) return away;
  return sync_folder(folder.path());
}

}  // namespace

bool is_pack_file(std::string_view name) {
  return name.ends_with(".skl") && name.find('/') == std::string_view::npos;
}

bool can_be_staged(std::string_view name) {
  return is_pack_file(name) || is_temporary_name(name) || name == kCompleteName || is_journal(name);
}

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

Result<void> switch_set(ReplacedFolder& folder, const std::vector<std::string>& stale,
                        bool keeps_old) {
  if (keeps_old)
    if (auto begun = begin_old_folder(folder.path()); !begun) return begun;
  if (auto marked = write_switch({stale, keeps_old}, folder.staged(kCompleteName)); !marked)
    return marked;
  folder.leave();
  const auto finished = finish_switch(folder);
  return finished ? Result<void>{} : std::unexpected(finished.error());
}

Result<bool> finish_switch(ReplacedFolder& folder) {
  const auto staged = folder.left_files(can_be_staged);
  if (!staged) return std::unexpected(staged.error());
  if (auto edited = finish_edits(folder, *staged); !edited) return std::unexpected(edited.error());
  if (std::ranges::find(*staged, kCompleteName) == staged->end()) return false;
  const auto told = read_switch(folder.staged(kCompleteName));
  if (!told) return std::unexpected(told.error());
  if (auto moved = move_all(folder, *told, *staged); !moved) return std::unexpected(moved.error());
  if (auto ended = folder.end(); !ended) return std::unexpected(ended.error());
  return true;
}

namespace {

std::unexpected<Error> no_way_back(const std::string& folder, const std::string& found) {
  return failed({.file = folder + "/" + kOldFolder,
                 .expected = "the files of the release before, which 'apply --keep-old' leaves",
                 .found = found,
                 .advice = "get the patch back to it, or its packs"});
}

Result<uint64_t> id_of_set(const std::string& folder) {
  const auto io = runtime::make_system_file_io();
  const auto file = io->open(folder + "/" + runtime::kCatalogName);
  const auto header = file ? runtime::read_header(**file) : std::unexpected(file.error());
  if (!header) return from_runtime(header.error());
  return header->checksum;
}

// Its packs that weren't replaced lie beside it.
Result<void> check_old_set(const std::string& folder, const runtime::Catalog& catalog) {
  const auto io = runtime::make_system_file_io();
  for (const format::CatalogPack& pack : catalog.packs()) {
    const std::string name(catalog.name(pack));
    const auto is_at = [&](const std::string& path) {
      const auto file = io->open(path);
      const auto header = file ? runtime::read_header(**file) : std::unexpected(file.error());
      return header && header->checksum == pack.pack_id &&
             (*file)->size_bytes() == header->file_bytes;
    };
    if (!is_at(folder + "/" + kOldFolder + "/" + name) && !is_at(folder + "/" + name))
      return no_way_back(folder, fmt::format("no {} of it any more", name));
  }
  return {};
}

}  // namespace

Result<uint64_t> roll_back(ReplacedFolder& folder) {
  const auto before = finish_switch(folder);
  if (!before) return std::unexpected(before.error());
  const std::string old = folder.path() + "/" + kOldFolder;
  const auto old_names = files_of_set(old);
  const auto names = files_of_set(folder.path());
  if (*before && old_names && old_names->empty()) return id_of_set(folder.path());
  if (!old_names || old_names->empty()) return no_way_back(folder.path(), "none");
  if (!names) return std::unexpected(names.error());
  const auto io = runtime::make_system_file_io();
  const auto file = io->open(old + "/" + runtime::kCatalogName);
  const auto catalog = file ? runtime::Catalog::open(**file) : std::unexpected(file.error());
  if (!catalog) return from_runtime(catalog.error());
  if (auto checked = check_old_set(folder.path(), **catalog); !checked)
    return std::unexpected(checked.error());
  Switch told;
  for (const std::string& name : *names)
    if (std::ranges::find(*old_names, name) == old_names->end()) told.stale.push_back(name);
  // With one rename the old files are the new ones, whole as they are.
  if (auto marked = write_switch(told, old + "/" + kCompleteName); !marked)
    return std::unexpected(marked.error());
  if (auto cleared = remove_tree(folder.new_folder()); !cleared)
    return std::unexpected(cleared.error());
  if (auto moved = rename_path(old, folder.new_folder()); !moved)
    return std::unexpected(moved.error());
  if (auto synced = sync_folder(folder.path()); !synced) return std::unexpected(synced.error());
  const uint64_t id = (*catalog)->header().checksum;
  const auto finished = finish_switch(folder);
  if (!finished) return std::unexpected(finished.error());
  return id;
}

}  // namespace seekless
