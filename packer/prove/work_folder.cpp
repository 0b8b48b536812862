#include "packer/prove/work_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/interrupt.h"
#include "packer/host/leftovers.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/host/pending_file.h"
#include "packer/output/folder_tree.h"

namespace seekless {
namespace {

constexpr std::string_view kWorkPrefix = ".seekless-prove-";
// Its lock lies beside a work folder, so that the folder can be removed while it is locked.
constexpr std::string_view kLockEnding = ".lock";

constexpr size_t kNameDigits = 16;
// A folder that holds this file with this text was made by a proof.
constexpr std::string_view kMarkName = "made-by-seekless-prove.txt";
constexpr std::string_view kMarkText =
    "seekless prove made this folder, and removes it when it ends, or at the next proof.\n";
constexpr std::array kMadeNames = {WorkFolder::kPacks, WorkFolder::kArchives, WorkFolder::kFiles};

std::string lock_of(const std::string& path) {
  return path + std::string(kLockEnding);
}

std::string in_work(const std::string& path, std::string_view name) {
  return path + "/" + std::string(name);
}

// Removes what proofs make of the folder, then the folder if nothing else is in it, and at last its
// lock, which Windows doesn't remove while it is open.
bool remove_work(const std::string& path, std::optional<FileLock>& lock) {
  std::error_code error;
  for (const std::string_view name : kMadeNames)
    if (!remove_tree(in_work(path, name))) return false;
  (void)remove_leftovers(path);
  // If this proof is killed before, the next one still sees by the mark who made the rest.
  std::filesystem::remove(path_of_text(in_work(path, kMarkName)), error);
  std::filesystem::remove(path_of_text(path), error);
  lock.reset();
  std::filesystem::remove(path_of_text(lock_of(path)), error);
  return kind_of_path(path) == PathKind::missing &&
         kind_of_path(lock_of(path)) == PathKind::missing;
}

bool is_work_name(std::string_view name) {
  if (!name.starts_with(kWorkPrefix)) return false;
  name.remove_prefix(kWorkPrefix.size());
  return name.size() == kNameDigits && std::ranges::all_of(name, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator each(path_of_text(folder), error), end;
       !error && each != end; each.increment(error))
    names.push_back(text_of_path(each->path().filename()));
  return names;
}

// A proof that was killed early has made nothing but the folder, or only the lock.
bool is_made_by_proof(const std::string& path) {
  if (kind_of_path(path) == PathKind::missing) return true;
  if (is_link(path) || !is_own_folder(path)) return false;
  const std::vector<std::string> names = names_in(path);
  if (std::ranges::all_of(names, is_temporary_name)) return true;
  const auto mark = read_own_text(in_work(path, kMarkName), kMarkText.size());
  return mark && *mark == kMarkText && std::ranges::all_of(names, [](const std::string& name) {
           return name == kMarkName || is_temporary_name(name) ||
                  std::ranges::find(kMadeNames, name) != kMadeNames.end();
         });
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

Result<std::unique_ptr<WorkFolder>> WorkFolder::make(const std::string& parent,
                                                     uint64_t room_bytes) {
  SKL_TRY(const std::string name, new_work_name());
  const std::string path = parent + "/" + name;
  SKL_TRY(auto lock, FileLock::take(lock_of(path)));
  // From here on the folder is removed, whatever fails or ends the run.
  note_interrupts();
  std::unique_ptr<WorkFolder> folder(new WorkFolder(path, std::move(lock)));
  SKL_TRY(const uint64_t free, free_bytes(parent));
  if (free < room_bytes)
    return failed(
        {.file = parent,
         .expected = fmt::format("room for {:.1f} MB, which are removed afterwards",
                                 static_cast<double>(room_bytes) / 1e6),
         .found = fmt::format("{:.1f} MB free", static_cast<double>(free) / 1e6),
         .advice = "make room, name fewer traces, or another folder of this disk with --work"});
  SKL_TRY_DO(make_own_folders(path));
  SKL_TRY_DO(write_own_text(in_work(path, kMarkName), kMarkText));
  return folder;
}

WorkFolder::~WorkFolder() {
  (void)remove();
}

bool WorkFolder::remove() {
  return remove_work(path_, lock_);
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
    if (!is_made_by_proof(path))
      left.foreign.push_back(path);
    else if (remove_work(path, lock))
      left.removed.push_back(path);
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
