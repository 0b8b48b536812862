#include "packer/host/leftovers.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

constexpr std::string_view kFront = ".seekless-";
constexpr std::string_view kEnd = ".tmp";

// Removes the file unless its writer has locked it. A writer that has only just created the file
// notices our lock, and creates another file.
Result<void> remove_if_left(const OpenFolder& folder, const std::string& name) {
  int opened = calls::open_there(folder, name);
  // Even a read-only file can be locked.
  if (opened < 0 && errno == EACCES) opened = calls::open_there_to_read(folder, name);
  const Descriptor file(opened);
  if (file.get() < 0) return {};  // the file is another user's, or gone
  calls::Status status;
  if (!calls::look_at(file.get(), status) || status.kind != calls::Kind::file) return {};
  if (calls::lock(file.get()) != 0) return {};
  if (calls::remove_file(folder, name) == 0 || errno == ENOENT) return {};
  return failed_call(folder.path() + "/" + name, "remove", errno);
}

}  // namespace

Result<std::string> new_temporary_name() {
  uint64_t number = 0;
  if (!calls::random_bytes(&number, sizeof(number)))
    return failed_call("a temporary name", "choose", errno);
  return fmt::format("{}{:016x}{}", kFront, number, kEnd);
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kFront) || !name.ends_with(kEnd)) return false;
  name.remove_prefix(kFront.size());
  name.remove_suffix(std::min(name.size(), kEnd.size()));
  return !name.empty() && name.find_first_not_of("0123456789abcdef-") == std::string_view::npos &&
         name[0] != '-';
}

bool keep_from_clearing(int descriptor, const OpenFolder& folder,
                        const std::string& name) noexcept {
  // Any error other than "it is locked" means that the file system has no locks.
  if (calls::lock(descriptor) != 0 && errno == EWOULDBLOCK) return false;
  return calls::is_there(folder, name) || errno != ENOENT;
}

Result<void> remove_leftovers(const std::string& folder) {
  if (kind_of_path(folder) != PathKind::folder) return {};
  const OpenFolder opened = OpenFolder::open(folder);
  SKL_TRY(const auto entries, list_folder(folder));
  for (const FolderEntry& entry : entries) {
    if (entry.is_folder || !is_temporary_name(entry.name)) continue;
    SKL_TRY_DO(remove_if_left(opened, entry.name));
  }
  return {};
}

}  // namespace seekless
