// Makes the calls that move clusters of NTFS. Each function is one call; ntfs_mover.cpp decides.
#include "packer/place/internal/ntfs_volume_windows.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <windows.h>
#include <winioctl.h>

#include "packer/host/errors_windows.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

using runtime::Handle;

constexpr DWORD kSharedWithAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr size_t kMostVolumeName = 50;  // "\\?\Volume{GUID}\", as Windows documents it
// So many bytes of the bitmap tell of 32 GiB of clusters of 4 KiB.
constexpr size_t kBitmapBytes = size_t{1} << 20;

std::unexpected<NtfsError> last_error() {
  return std::unexpected(ntfs_error_of(::GetLastError()));
}

// Returns how many bytes it got. A buffer that was too small is no error, since it holds the first
// part.
NtfsResult<size_t> control(HANDLE handle, DWORD code, void* in, size_t in_bytes, void* out,
                           size_t out_bytes) {
  DWORD got = 0;
  const BOOL is_done = ::DeviceIoControl(handle, code, in, static_cast<DWORD>(in_bytes), out,
                                         static_cast<DWORD>(out_bytes), &got, nullptr);
  if (is_done == 0 && ::GetLastError() != ERROR_MORE_DATA) return last_error();
  return got;
}

// Everybody may open the root folder for its attributes. The volume itself, opened like this, would
// not reach the file system.
Handle open_root_folder(const wchar_t* root) {
  return Handle(::CreateFileW(root, FILE_READ_ATTRIBUTES, kSharedWithAll, nullptr, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

// `volume` is "\\?\Volume{GUID}\". With its last backslash, it would be the root folder.
Handle open_volume(std::wstring volume) {
  volume.pop_back();
  return Handle(::CreateFileW(volume.c_str(), GENERIC_READ, kSharedWithAll, nullptr, OPEN_EXISTING,
                              0, nullptr));
}

class WindowsFile final : public NtfsFile {
 public:
  WindowsFile(HANDLE volume, Handle file, std::string path, const NtfsAttributes& attributes)
      : volume_(volume), file_(std::move(file)), path_(std::move(path)), attributes_(attributes) {}

  const NtfsAttributes& attributes() const override { return attributes_; }

  Result<FileExtents> extents() const override { return read_extents(path_); }

  NtfsResult<void> move(uint64_t from, uint64_t to, uint64_t count) override {
    MOVE_FILE_DATA request = {};
    request.FileHandle = file_.get();
    request.StartingVcn.QuadPart = static_cast<LONGLONG>(from);
    request.StartingLcn.QuadPart = static_cast<LONGLONG>(to);
    request.ClusterCount = static_cast<DWORD>(count);
    const auto got = control(volume_, FSCTL_MOVE_FILE, &request, sizeof(request), nullptr, 0);
    if (!got) return std::unexpected(got.error());
    return {};
  }

 private:
  HANDLE volume_;
  Handle file_;
  std::string path_;
  NtfsAttributes attributes_;
};

class WindowsVolume final : public NtfsVolume {
 public:
  explicit WindowsVolume(Handle volume) : volume_(std::move(volume)) {}

  NtfsResult<NtfsLayout> layout() override {
    NTFS_VOLUME_DATA_BUFFER found = {};
    const auto got =
        control(volume_.get(), FSCTL_GET_NTFS_VOLUME_DATA, nullptr, 0, &found, sizeof(found));
    if (!got) return std::unexpected(got.error());
    if (*got < sizeof(found)) return std::unexpected(ntfs_error_of(ERROR_NOT_SUPPORTED));
    const auto zone = static_cast<uint64_t>(found.MftZoneStart.QuadPart);
    const auto zone_end = static_cast<uint64_t>(found.MftZoneEnd.QuadPart);
    return NtfsLayout{.cluster_bytes = found.BytesPerCluster,
                      .cluster_count = static_cast<uint64_t>(found.TotalClusters.QuadPart),
                      .zone = {zone, zone_end > zone ? zone_end - zone : 0}};
  }

  NtfsResult<NtfsBitmap> bitmap(uint64_t cluster) override {
    STARTING_LCN_INPUT_BUFFER from = {};
    from.StartingLcn.QuadPart = static_cast<LONGLONG>(cluster);
    constexpr size_t kHeadBytes = offsetof(VOLUME_BITMAP_BUFFER, Buffer);
    std::vector<std::byte> answer(kHeadBytes + kBitmapBytes);
    const auto got = control(volume_.get(), FSCTL_GET_VOLUME_BITMAP, &from, sizeof(from),
                             answer.data(), answer.size());
    if (!got) return std::unexpected(got.error());
    if (*got < kHeadBytes) return std::unexpected(ntfs_error_of(ERROR_NOT_SUPPORTED));
    const auto* const head = reinterpret_cast<const VOLUME_BITMAP_BUFFER*>(answer.data());
    NtfsBitmap bitmap = {.first = static_cast<uint64_t>(head->StartingLcn.QuadPart),
                         .count = static_cast<uint64_t>(head->BitmapSize.QuadPart),
                         .bits = {}};
    bitmap.bits.assign(answer.begin() + kHeadBytes, answer.begin() + static_cast<ptrdiff_t>(*got));
    return bitmap;
  }

  // Reading a file's attributes is enough for moving it, and conflicts with nobody who has it open.
  NtfsResult<std::unique_ptr<NtfsFile>> open(const std::string& path) override {
    const auto name = runtime::to_wide_path(path);
    if (!name) return std::unexpected(ntfs_error_of(ERROR_INVALID_NAME));
    Handle file(::CreateFileW(name->c_str(), FILE_READ_ATTRIBUTES | SYNCHRONIZE, kSharedWithAll,
                              nullptr, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
    BY_HANDLE_FILE_INFORMATION found = {};
    if (!file || ::GetFileInformationByHandle(file.get(), &found) == 0) return last_error();
    const auto has = [&](DWORD attribute) { return (found.dwFileAttributes & attribute) != 0; };
    const NtfsAttributes attributes = {.is_compressed = has(FILE_ATTRIBUTE_COMPRESSED),
                                       .is_sparse = has(FILE_ATTRIBUTE_SPARSE_FILE),
                                       .is_encrypted = has(FILE_ATTRIBUTE_ENCRYPTED),
                                       .is_reparse_point = has(FILE_ATTRIBUTE_REPARSE_POINT)};
    return std::make_unique<WindowsFile>(volume_.get(), std::move(file), path, attributes);
  }

  void pause(std::chrono::milliseconds time) override { ::Sleep(static_cast<DWORD>(time.count())); }

 private:
  Handle volume_;
};

}  // namespace

// Windows has many more numbers than errno_of() knows, and most of them concern one call or file.
NtfsError ntfs_error_of(uint32_t number) {
  int os_error = errno_of(number);
  switch (number) {
    case ERROR_CRC:
    case ERROR_IO_DEVICE:
    case ERROR_NOT_READY:
    case ERROR_DEVICE_NOT_CONNECTED:
      os_error = EIO;
      break;
    default:
      if (os_error == EIO) os_error = 0;
  }
  return {os_error, fmt::format("{} (error {})", runtime::text_of_error(number), number)};
}

NtfsResult<std::unique_ptr<NtfsVolume>> open_ntfs_volume(const std::string& folder,
                                                         VolumeAccess access) {
  const auto path = runtime::to_wide_path(folder);
  std::vector<wchar_t> root(path ? path->size() + MAX_PATH : 1);
  std::array<wchar_t, kMostVolumeName> volume = {};
  if (!path ||
      ::GetVolumePathNameW(path->c_str(), root.data(), static_cast<DWORD>(root.size())) == 0 ||
      ::GetVolumeNameForVolumeMountPointW(root.data(), volume.data(), volume.size()) == 0)
    return std::unexpected(ntfs_error_of(ERROR_NOT_SUPPORTED));  // a share has no such name
  Handle handle =
      access == VolumeAccess::move ? open_volume(volume.data()) : open_root_folder(root.data());
  if (!handle) return last_error();
  return std::make_unique<WindowsVolume>(std::move(handle));
}

}  // namespace seekless
