#include "packer/pack/set_switch.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/leftovers.h"
#include "packer/host/pending_file.h"
#include "packer/host/runtime_error.h"
#include "packer/output/folder_tree.h"
#include "packer/pack/file_edit.h"
#include "packer/pack/internal/set_to_come.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

// If the folder of new files has this file, everything there is complete. If this run is killed,
// the next one completes the move. The file lists the old packs that the new set lacks, and says
// whether old files are kept.
constexpr const char* kCompleteName = "complete";
constexpr const char* kKeepsOld = "keeps old files";
constexpr uint64_t kMaxListBytes = 64 * 1024 * 1024;
constexpr uint64_t kMostOldCatalogBytes = uint64_t{16} << 30;

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

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
  SKL_TRY(const auto text, read_text(path, kMaxListBytes));
  Switch told;
  std::istringstream lines(text);
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

// Makes the folder for old files, with a copy of the old catalog and its rights, because readers
// need a catalog at every moment.
Result<void> begin_old_folder(const std::string& folder) {
  const std::string old = folder + "/" + kOldFolder;
  SKL_TRY_DO(remove_tree(old));
  SKL_TRY_DO(make_folders(old));
  const std::string path = folder + "/" + runtime::kCatalogName;
  SKL_TRY(const auto catalog, read_text(path, kMostOldCatalogBytes));
  SKL_TRY(auto copy, PendingFile::create(old + "/" + runtime::kCatalogName, 0, path));
  SKL_TRY_DO(copy.append(catalog));
  return copy.commit();
}

Result<bool> is_there(const std::string& path) {
  SKL_TRY(const auto kind, known_kind_of_path(path));
  return kind != PathKind::missing;
}

// Moves an old file out of the way of a new one.
Result<void> put_away(const std::string& folder, const std::string& name, bool keeps_old) {
  const std::string path = folder + "/" + name;
  if (!keeps_old) return remove_file(path);
  SKL_TRY(const auto exists, is_there(path));
  return exists ? rename_path(path, folder + "/" + kOldFolder + "/" + name) : Result<void>{};
}

bool is_journal(std::string_view name) {
  return name.ends_with(kEditSuffix) &&
         is_pack_file(name.substr(0, name.size() - kEditSuffix.size()));
}

Result<void> finish_edits(const ReplacedFolder& folder, const std::vector<std::string>& staged) {
  for (const std::string& name : staged) {
    if (!is_journal(name)) continue;
    const std::string edited =
        folder.path() + "/" + name.substr(0, name.size() - kEditSuffix.size());
    SKL_TRY_DO(check_edit_to_come(folder.staged(name), edited));
    SKL_TRY_DO(carry_out_edit(folder.staged(name), edited));
  }
  return {};
}

Result<void> move_all(const ReplacedFolder& folder, const Switch& told,
                      const std::vector<std::string>& staged) {
  const auto in_place = [&](const std::string& name) { return folder.path() + "/" + name; };
  if (has_name(staged, runtime::kCatalogName)) {
    SKL_TRY_DO(rename_path(folder.staged(runtime::kCatalogName), in_place(runtime::kCatalogName)));
    SKL_TRY_DO(sync_folder(folder.path()));
  }
  for (const std::string& name : staged) {
    if (name == runtime::kCatalogName || !is_pack_file(name)) continue;
    if (told.keeps_old) SKL_TRY_DO(put_away(folder.path(), name, true));
    SKL_TRY_DO(rename_path(folder.staged(name), in_place(name)));
  }
  for (const std::string& name : told.stale)
    SKL_TRY_DO(put_away(folder.path(), name, told.keeps_old));
  return sync_folder(folder.path());
}

Result<void> carry_through(ReplacedFolder& folder, const Switch& told,
                           const std::vector<std::string>& staged) {
  SKL_TRY_DO(move_all(folder, told, staged));
  return folder.end();
}

// Returns true if the catalog in place belongs to the staged packs. Then readers already see that
// set, and no intact set can be lost.
Result<bool> is_on_its_way(const ReplacedFolder& folder, const std::vector<std::string>& staged) {
  const auto io = runtime::make_system_file_io();
  const auto file = io->open(folder.path() + "/" + runtime::kCatalogName);
  const auto catalog = file ? runtime::Catalog::open(**file) : std::unexpected(file.error());
  if (!catalog) return from_runtime(catalog.error());
  for (const format::CatalogPack& pack : (*catalog)->packs()) {
    const std::string name((*catalog)->name(pack));
    if (!has_name(staged, name)) continue;
    const auto ready = io->open(folder.staged(name));
    const auto header = ready ? runtime::read_header(**ready) : std::unexpected(ready.error());
    if (!header && is_unseen(header.error())) return from_runtime(header.error());
    if (!header || header->checksum != pack.pack_id) return false;
  }
  return true;
}

// Checks the remains of a switch that an earlier run began.
Result<void> check_begun(const ReplacedFolder& folder, const Switch& told,
                         const std::vector<std::string>& staged) {
  const std::string advice =
      fmt::format("remove '{}', and run this again; nothing was done", folder.new_folder());
  const auto refused = [&](const std::string& expected, const std::string& found) {
    return damaged(
        {.file = folder.new_folder(), .expected = expected, .found = found, .advice = advice});
  };
  const bool is_ready = has_name(staged, runtime::kCatalogName);
  if (is_ready) {
    SKL_TRY_DO(check_set_to_come(folder.new_folder(), folder.path(), advice));
  } else {
    SKL_TRY(const auto is_moving, is_on_its_way(folder, staged));
    if (!is_moving) return refused("packs of the catalog that is in place", "others");
  }
  SKL_TRY(const auto names, files_of_set(is_ready ? folder.new_folder() : folder.path()));
  for (const std::string& name : told.stale)
    if (has_name(names, name))
      return refused("to remove packs that the new set hasn't", fmt::format("'{}'", name));
  for (const std::string& name : staged)
    if (is_pack_file(name) && !has_name(names, name))
      return refused("the new set's packs", fmt::format("'{}'", name));
  return {};
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
  SKL_TRY(const auto kind, known_kind_of_path(path));
  if (kind == PathKind::missing) return names;
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
  if (keeps_old) SKL_TRY_DO(begin_old_folder(folder.path()));
  SKL_TRY_DO(write_switch({stale, keeps_old}, folder.staged(kCompleteName)));
  folder.leave();
  SKL_TRY(const auto staged, folder.left_files(can_be_staged));
  return carry_through(folder, {stale, keeps_old}, staged);
}

Result<bool> finish_switch(ReplacedFolder& folder) {
  SKL_TRY(const auto staged, folder.left_files(can_be_staged));
  SKL_TRY_DO(finish_edits(folder, staged));
  if (!has_name(staged, kCompleteName)) return false;
  SKL_TRY(const auto told, read_switch(folder.staged(kCompleteName)));
  SKL_TRY_DO(check_begun(folder, told, staged));
  SKL_TRY_DO(carry_through(folder, told, staged));
  return true;
}

namespace {

constexpr const char* kOldExpected =
    "the files of the release before, which 'apply --keep-old' leaves";
constexpr const char* kOtherWay = "get the patch back to it, or its packs";

std::unexpected<Error> damaged_way_back(const std::string& folder, const std::string& found) {
  return damaged({.file = folder + "/" + kOldFolder,
                  .expected = kOldExpected,
                  .found = found,
                  .advice = std::string(kOtherWay) + "; nothing was done"});
}

Result<uint64_t> id_of_set(const std::string& folder) {
  const auto io = runtime::make_system_file_io();
  const auto file = io->open(folder + "/" + runtime::kCatalogName);
  const auto header = file ? runtime::read_header(**file) : std::unexpected(file.error());
  if (!header) return from_runtime(header.error());
  return header->checksum;
}

// Returns the names of the old set's files, after checking everything that would be put in place.
// Its packs that weren't replaced lie in the folder itself.
Result<std::vector<std::string>> check_old_set(const std::string& folder,
                                               const std::vector<std::string>& kept) {
  const std::string old = folder + "/" + kOldFolder;
  if (!has_name(kept, runtime::kCatalogName))
    return damaged_way_back(folder, "no catalog of it any more");
  SKL_TRY_DO(check_set_to_come(old, folder, std::string(kOtherWay) + "; nothing was done"));
  auto names = files_of_set(old);
  if (!names) return names;
  for (const std::string& name : kept)
    if (!has_name(*names, name) && name != kCompleteName && !is_temporary_name(name))
      return damaged_way_back(folder, fmt::format("'{}', which isn't of it", name));
  return names;
}

}  // namespace

Result<uint64_t> roll_back(ReplacedFolder& folder) {
  SKL_TRY(const auto before, finish_switch(folder));
  const std::string old = folder.path() + "/" + kOldFolder;
  SKL_TRY(const auto kept, plain_files(old));
  if (kept.empty() && before) return id_of_set(folder.path());
  if (kept.empty())
    return failed({.file = old, .expected = kOldExpected, .found = "none", .advice = kOtherWay});
  SKL_TRY(const auto names, files_of_set(folder.path()));
  SKL_TRY(const auto old_names, check_old_set(folder.path(), kept));
  const auto id = id_of_set(old);
  if (!id) return id;
  Switch told;
  for (const std::string& name : names)
    if (!has_name(old_names, name)) told.stale.push_back(name);
  // One rename turns the folder of old files, which is complete, into the folder of new files.
  SKL_TRY_DO(write_switch(told, old + "/" + kCompleteName));
  SKL_TRY_DO(remove_tree(folder.new_folder()));
  SKL_TRY_DO(rename_path(old, folder.new_folder()));
  SKL_TRY_DO(sync_folder(folder.path()));
  SKL_TRY(const auto staged, folder.left_files(can_be_staged));
  SKL_TRY_DO(carry_through(folder, told, staged));
  return id;
}

}  // namespace seekless
