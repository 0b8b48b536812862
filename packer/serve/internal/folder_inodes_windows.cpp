#include <string_view>
#include <vector>

#include <windows.h>

#include "packer/host/file_stamp.h"
#include "packer/serve/internal/folder_inodes.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

constexpr size_t kListBytes = size_t{64} << 10;
// NTFS counts in the upper bits how often the inode was reused.
constexpr uint64_t kNumber = (uint64_t{1} << 48) - 1;

runtime::Handle open_list(const std::string& folder) {
  constexpr DWORD kAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const auto name = runtime::to_wide_path(folder);
  if (!name) return {};
  return runtime::Handle(::CreateFileW(name->c_str(), FILE_LIST_DIRECTORY, kAll, nullptr,
                                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

}  // namespace

std::unordered_map<std::string, uint64_t> inodes_in(const std::string& folder, size_t most) {
  std::unordered_map<std::string, uint64_t> inodes;
  const runtime::Handle list = open_list(folder);
  std::vector<uint64_t> buffer(kListBytes / sizeof(uint64_t));
  while (list && inodes.size() < most &&
         ::GetFileInformationByHandleEx(list.get(), FileIdBothDirectoryInfo, buffer.data(),
                                        static_cast<DWORD>(kListBytes)) != 0) {
    const auto* at = reinterpret_cast<const unsigned char*>(buffer.data());
    for (;;) {
      const auto* entry = reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(at);
      const std::wstring_view name(entry->FileName, entry->FileNameLength / sizeof(wchar_t));
      inodes[runtime::to_utf8(name)] = static_cast<uint64_t>(entry->FileId.QuadPart) & kNumber;
      if (entry->NextEntryOffset == 0) break;
      at += entry->NextEntryOffset;
    }
  }
  return inodes;
}

void read_inode(const std::string& path) {
  static_cast<void>(change_stamp_of(path));
}

}  // namespace seekless
