#include "packer/prove/work_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ranges>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/interrupt.h"
#include "packer/host/leftovers.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/host/pending_file.h"
#include "packer/output/folder_tree.h"
#include "packer/output/replaced_folder.h"

namespace seekless {
namespace {

constexpr std::string_view kWorkPrefix = ".seekless-prove-";
// A work folder's lock lies beside it, so that the folder can be removed while it is locked.
constexpr std::string_view kLockEnding = ".lock";

constexpr size_t kNameDigits = 16;
// A folder that holds a file with this name and text was made by a proof.
constexpr std::string_view kMarkName = "made-by-seekless-prove.txt";
constexpr std::string_view kMarkText =
    "seekless prove made this folder, and removes it when it ends, or at the next proof.\n";
// After the text come lines with the names of the files that the proof makes. No other files in the
// folder are removed.
constexpr uint64_t kMaxMarkBytes = uint64_t{64} << 20;

std::string lock_of(const std::string& path) {
  return path + std::string(kLockEnding);
}

std::string in_work(const std::string& path, std::string_view name) {
  return path + "/" + std::string(name);
}

std::string mark_text(const WorkFolder::Names& made) {
  return fmt::format("{}{}\n", kMarkText, fmt::join(made, "\n"));
}

WorkFolder::Names names_of_mark(std::string_view text) {
  WorkFolder::Names made;
  for (const auto line : std::views::split(text.substr(kMarkText.size()), '\n'))
    if (!line.empty()) made.emplace(std::string_view(line));
  return made;
}

bool is_made(std::string_view name, const WorkFolder::Names& made) {
  if (name == kMarkName || made.contains(name)) return true;
  if (is_temporary_name(name.substr(name.rfind('/') + 1))) return true;
  return std::ranges::any_of(std::array{WorkFolder::kPacks, WorkFolder::kArchives}, [&](auto part) {
    return name.starts_with(WorkFolder::in(part, kNewFolder) + "/");
  });
}

// Removes `made` with its writers' temporary files, then the folder if it is empty, and last its
// lock, which Windows doesn't remove while it is open. If the folder stays, the next proof
// recognises it by mark and lock.
bool remove_work(const std::string& path, const WorkFolder::Names& made,
                 std::optional<FileLock>& lock) {
  const auto files = plain_files(path);
  if (!files) return false;
  bool is_all = true;
  bool is_marked = false;
  for (const std::string& name : *files) {
    is_marked = is_marked || name == kMarkName;
    if (name != kMarkName)
      is_all = is_made(name, made) && remove_file(in_work(path, name)) && is_all;
  }
  if (!remove_empty_folders(path) || !is_all) return false;
  (void)remove_file(in_work(path, kMarkName));
  remove_empty_folder(path);
  if (kind_of_path(path) != PathKind::missing) {
    if (is_marked) (void)write_own_text(in_work(path, kMarkName), mark_text(made));
    return false;
  }
  lock.reset();
  return remove_file(lock_of(path)).has_value();
}

bool is_work_name(std::string_view name) {
  if (!name.starts_with(kWorkPrefix)) return false;
  name.remove_prefix(kWorkPrefix.size());
  return name.size() == kNameDigits && std::ranges::all_of(name, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

// Reads only the names, because a home folder may hold entries that can't be examined. Returns none
// for a folder that can't be listed.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator each(path_of_text(folder), error), end;
       !error && each != end; each.increment(error))
    names.push_back(text_of_path(each->path().filename()));
  return names;
}

// Returns the names of what a killed proof made in the folder; none if no proof made the folder, or
// if it holds other files. A proof that was killed early has made only the folder, or only the
// lock.
Result<std::optional<WorkFolder::Names>> made_by_proof(const std::string& path) {
  WorkFolder::Names made;
  if (kind_of_path(path) == PathKind::missing) return made;
  if (is_link(path) || !is_own_folder(path)) return std::nullopt;
  SKL_TRY(const auto entries, list_folder(path));
  if (std::ranges::all_of(entries, [](const FolderEntry& entry) {
        return !entry.is_folder && !entry.is_link && is_temporary_name(entry.name);
      }))
    return made;
  const auto mark = read_own_text(in_work(path, kMarkName), kMaxMarkBytes);
  if (!mark || !mark->starts_with(kMarkText)) return std::nullopt;
  made = names_of_mark(*mark);
  SKL_TRY(const auto files, plain_files(path));
  if (!std::ranges::all_of(files, [&](const auto& name) { return is_made(name, made); }))
    return std::nullopt;
  return made;
}

bool is_made_lock(const std::string& path) {
  const auto identity = identity_of(path);
  return identity && identity->is_regular && identity->size_bytes == 0;
}

Result<std::string> new_work_name() {
  SKL_TRY(std::string name, new_temporary_name());  // ".seekless-0123456789abcdef.tmp"
  constexpr size_t kDigitsAt = std::string_view(".seekless-").size();
  return std::string(kWorkPrefix) + name.substr(kDigitsAt, kNameDigits);
}

}  // namespace

Result<std::unique_ptr<WorkFolder>> WorkFolder::make(const std::string& parent, uint64_t room_bytes,
                                                     const std::vector<std::string>& files) {
  SKL_TRY(const std::string name, new_work_name());
  const std::string path = parent + "/" + name;
  SKL_TRY(auto lock, FileLock::take(lock_of(path)));
  // From here on the folder is removed even if the run fails or is interrupted.
  note_interrupts();
  std::unique_ptr<WorkFolder> folder(
      new WorkFolder(path, {files.begin(), files.end()}, std::move(lock)));
  SKL_TRY(const uint64_t free, free_bytes(parent));
  if (free < room_bytes)
    return failed(
        {.file = parent,
         .expected = fmt::format("room for {:.1f} MB, which are removed afterwards",
                                 static_cast<double>(room_bytes) / 1e6),
         .found = fmt::format("{:.1f} MB free", static_cast<double>(free) / 1e6),
         .advice = "make room, name fewer traces, or another folder of this disk with --work"});
  SKL_TRY_DO(make_own_folders(path));
  SKL_TRY_DO(write_own_text(in_work(path, kMarkName), mark_text(folder->made_)));
  return folder;
}

WorkFolder::~WorkFolder() {
  (void)remove();
}

bool WorkFolder::remove() {
  return !lock_ || remove_work(path_, made_, lock_);
}

LeftWorkFolders remove_left_work_folders(const std::string& parent) {
  LeftWorkFolders left;
  for (std::string name : names_in(parent)) {
    if (!name.ends_with(kLockEnding)) continue;
    name.resize(name.size() - kLockEnding.size());
    const std::string path = in_work(parent, name);
    if (!is_work_name(name) || !is_made_lock(lock_of(path))) continue;
    auto taken = FileLock::take(lock_of(path));
    if (!taken) continue;
    std::optional<FileLock> lock = *std::move(taken);
    const auto made = made_by_proof(path);
    if (made && !*made)
      left.foreign.push_back(path);
    else
      (made && remove_work(path, **made, lock) ? left.removed : left.stuck).push_back(path);
  }
  return left;
}

std::string folder_on_device(const std::vector<std::string>& folders, uint64_t device) {
  for (const std::string& folder : folders) {
    if (folder.empty() || kind_of_path(folder) != PathKind::folder) continue;
    const auto identity = identity_of(canonical_path(folder));
    if (!identity || identity->device != device) continue;
    if (PendingFile::create(folder + "/seekless-prove-try")) return folder;
  }
  return {};
}

}  // namespace seekless
