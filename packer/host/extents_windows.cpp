#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <windows.h>
#include <winioctl.h>

#include "packer/host/errors_windows.h"
#include "packer/host/extents.h"
#include "packer/host/files.h"
#include "packer/host/os_error.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

// This is RETRIEVAL_POINTERS_BUFFER with room for several runs; Windows declares it with room for
// one.
struct RetrievalPointers {
  DWORD count;
  LARGE_INTEGER first_cluster;
  struct Run {
    LARGE_INTEGER next_cluster;  // cluster in the file
    LARGE_INTEGER place;         // cluster on the volume; below 0: not on the disk
  };
  std::array<Run, 512> runs;
};
static_assert(offsetof(RetrievalPointers, first_cluster) ==
              offsetof(RETRIEVAL_POINTERS_BUFFER, StartingVcn));
static_assert(offsetof(RetrievalPointers, runs) == offsetof(RETRIEVAL_POINTERS_BUFFER, Extents));

// A record of NTFS has 1 or 4 KiB. A small file lies inside its own record.
constexpr uint64_t kMostInlineBytes = 4096;

std::unexpected<Error> no_places(const std::string& path, DWORD error) {
  return failed({.file = path,
                 .expected = "a file system that tells where its files lie",
                 .found = fmt::format("one that doesn't ({})", runtime::text_of_error(error)),
                 .advice = "use a drive of NTFS, exFAT or FAT in this machine"});
}

// Returns the size of a cluster; 0 if unknown.
uint64_t cluster_bytes_of(const std::wstring& path) {
  std::array<wchar_t, 32768> volume = {};
  DWORD sectors = 0, bytes = 0, free = 0, all = 0;
  if (::GetVolumePathNameW(path.c_str(), volume.data(), volume.size()) == 0 ||
      ::GetDiskFreeSpaceW(volume.data(), &sectors, &bytes, &free, &all) == 0)
    return 0;
  return uint64_t{sectors} * bytes;
}

Result<void> ask(HANDLE handle, uint64_t cluster_bytes, FileExtents& file) {
  STARTING_VCN_INPUT_BUFFER from = {};
  auto found = std::make_unique<RetrievalPointers>();
  for (;;) {
    DWORD got = 0;
    const BOOL is_all = ::DeviceIoControl(handle, FSCTL_GET_RETRIEVAL_POINTERS, &from, sizeof(from),
                                          found.get(), sizeof(RetrievalPointers), &got, nullptr);
    const DWORD error = is_all != 0 ? ERROR_SUCCESS : ::GetLastError();
    const bool tells_nothing = error == ERROR_HANDLE_EOF || (is_all != 0 && found->count == 0);
    if (tells_nothing && from.StartingVcn.QuadPart == 0 && file.size_bytes > kMostInlineBytes)
      return no_places(file.path, ERROR_NOT_SUPPORTED);  // some network drives tell nothing
    if (tells_nothing) {
      if (file.extents.empty()) file.inline_bytes = file.size_bytes;
      return {};
    }
    if (is_all == 0 && error != ERROR_MORE_DATA) return no_places(file.path, error);
    auto begin = static_cast<uint64_t>(found->first_cluster.QuadPart);
    const size_t count = std::min<size_t>(found->count, found->runs.size());
    for (const RetrievalPointers::Run& run : std::span(found->runs).first(count)) {
      const auto end = static_cast<uint64_t>(run.next_cluster.QuadPart);
      // Wine reports a run from 1 to 0.
      if (end <= begin) return no_places(file.path, ERROR_NOT_SUPPORTED);
      if (run.place.QuadPart >= 0)
        add_extent(
            {begin * cluster_bytes, static_cast<uint64_t>(run.place.QuadPart) * cluster_bytes,
             (end - begin) * cluster_bytes},
            file);
      begin = end;
    }
    const auto next = static_cast<LONGLONG>(begin);
    if (is_all != 0 || next <= from.StartingVcn.QuadPart)
      return {};  // a faulty driver makes no progress
    from.StartingVcn.QuadPart = next;
  }
}

}  // namespace

// NTFS allocates space when a file is extended, so nothing needs to be written out first.
Result<FileExtents> read_extents(const std::string& path) {
  if (kind_of_path(path) == PathKind::folder)
    return failed({.file = path, .expected = "a regular file", .found = "something else"});
  const auto name = runtime::to_wide_path(path);
  if (!name) return failed({.file = path, .found = "a name that isn't UTF-8"});
  constexpr DWORD kAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const runtime::Handle handle(::CreateFileW(name->c_str(), FILE_READ_ATTRIBUTES, kAll, nullptr,
                                             OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!handle) return failed_call(path, "open", errno_of_last_error());
  BY_HANDLE_FILE_INFORMATION found = {};
  if (::GetFileInformationByHandle(handle.get(), &found) == 0)
    return failed_call(path, "look at", errno_of_last_error());
  FileExtents file;
  file.path = path;
  file.size_bytes = uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow;
  file.device = found.dwVolumeSerialNumber;
  const uint64_t cluster_bytes = cluster_bytes_of(*name);
  if (cluster_bytes == 0) return no_places(path, ::GetLastError());
  SKL_TRY_DO(ask(handle.get(), cluster_bytes, file));
  return file;
}

// NTFS keeps small folders in the volume's table of files, and large ones in a stream with another
// name.
Result<FileExtents> read_folder_extents(const std::string& path) {
  return failed({.file = path,
                 .expected = "a file system that tells where its folders lie",
                 .found = "Windows, which isn't asked"});
}

Result<FileExtents> read_list_extents(const std::string& folder) {
  return read_folder_extents(folder);
}

Result<std::vector<Extent>> find_free_room(const std::string& folder, uint64_t) {
  return failed({.file = folder,
                 .expected = "a system that tells where free room lies",
                 .found = "Windows, which isn't asked"});
}

}  // namespace seekless
