#include <filesystem>

#include "packer/host/file_stamp.h"
#include "packer/host/folder_entries.h"
#include "packer/host/native_path.h"
#include "packer/host/runtime_error.h"
#include "runtime/file_io.h"

namespace seekless {
namespace {

using Kind = runtime::FolderEntry::Kind;

// Both symbolic links and junctions are links; each counts as the file or folder that it leads to.
FolderEntry follow(const std::string& path, const std::string& name) {
  FolderEntry entry = {.name = name, .is_link = true};
  std::error_code error;
  entry.is_folder = type_of(path, error) == std::filesystem::file_type::directory;
  const auto target = change_stamp_of(path);
  entry.leads_nowhere = !entry.is_folder && !(target && *target);
  if (!entry.is_folder && !entry.leads_nowhere) entry.size_bytes = (*target)->size_bytes;
  return entry;
}

}  // namespace

Result<std::vector<FolderEntry>> find_entries(const std::string& folder) {
  static const auto io = runtime::make_system_file_io();
  const auto found = io->list(folder);
  if (!found) return from_runtime(found.error());
  std::vector<FolderEntry> entries;
  for (const runtime::FolderEntry& one : *found) {
    if (one.kind == Kind::other) {
      entries.push_back(follow(folder + "/" + one.name, one.name));
    } else {
      const bool is_folder = one.kind == Kind::folder;
      entries.push_back({.name = one.name,
                         .is_folder = is_folder,
                         .size_bytes = is_folder ? 0 : one.stamp.size_bytes});
    }
  }
  return entries;
}

}  // namespace seekless
