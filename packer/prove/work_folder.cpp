#include "packer/prove/work_folder.h"

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

// Removes the folder and what is in it, and at last its lock, which Windows doesn't remove while it
// is open.
bool remove_work(const std::string& path, std::optional<FileLock>& lock) {
  if (!remove_tree(path)) return false;
  std::error_code error;
  std::filesystem::remove(path_of_text(path), error);
  lock.reset();
  std::filesystem::remove(path_of_text(path + std::string(kLockEnding)), error);
  return kind_of_path(path) == PathKind::missing &&
         kind_of_path(path + std::string(kLockEnding)) == PathKind::missing;
}

Result<std::string> new_work_name() {
  SKL_TRY(std::string name, new_temporary_name());  // ".seekless-0123456789abcdef.tmp"
  constexpr size_t kDigits = 16;
  constexpr size_t kDigitsAt = std::string_view(".seekless-").size();
  return std::string(kWorkPrefix) + name.substr(kDigitsAt, kDigits);
}

}  // namespace

Result<std::unique_ptr<WorkFolder>> WorkFolder::make(const std::string& parent,
                                                     uint64_t room_bytes) {
  SKL_TRY(const std::string name, new_work_name());
  const std::string path = parent + "/" + name;
  SKL_TRY(auto lock, FileLock::take(path + std::string(kLockEnding)));
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
  return folder;
}

WorkFolder::~WorkFolder() {
  (void)remove();
}

bool WorkFolder::remove() {
  return remove_work(path_, lock_);
}

std::vector<std::string> remove_left_work_folders(const std::string& parent) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator each(path_of_text(parent), error), end;
       !error && each != end; each.increment(error)) {
    const std::string name = text_of_path(each->path().filename());
    if (name.starts_with(kWorkPrefix) && name.ends_with(kLockEnding))
      found.push_back(parent + "/" + name.substr(0, name.size() - kLockEnding.size()));
  }
  std::vector<std::string> removed;
  for (const std::string& path : found) {
    const bool is_ours =
        kind_of_path(path) == PathKind::missing || (!is_link(path) && is_own_folder(path));
    if (!is_ours) continue;
    auto taken = FileLock::take(path + std::string(kLockEnding));
    if (!taken) continue;
    std::optional<FileLock> lock = *std::move(taken);
    if (remove_work(path, lock)) removed.push_back(path);
  }
  return removed;
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
