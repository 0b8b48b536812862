#include <filesystem>

#include "packer/host/folder_entries.h"
#include "packer/host/native_path.h"
#include "packer/host/runtime_error.h"
#include "runtime/file_io.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using Kind = runtime::FolderEntry::Kind;

// A link is a symbolic one or a folder joined in; what it leads to counts.
FolderEntry follow(const std::string& path, const std::string& name) {
  FolderEntry entry = {.name = name, .is_link = true};
  std::error_code error;
  const fs::file_status status = fs::status(to_native(path), error);
  entry.is_folder = fs::is_directory(status);
  entry.leads_nowhere = !entry.is_folder && !fs::is_regular_file(status);
  if (!entry.is_folder && !entry.leads_nowhere)
    entry.size_bytes = fs::file_size(to_native(path), error);
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
