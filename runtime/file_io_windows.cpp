#include "runtime/file_io_windows.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include <malloc.h>
#include <windows.h>
#include <winioctl.h>

#include "runtime/file_io.h"
#include "runtime/file_link.h"
#include "runtime/names_windows.h"
#include "runtime/seek_penalty_windows.h"

namespace seekless::runtime {
namespace {

constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_DELETE;
constexpr DWORD kMostOfACall = DWORD{1} << 30;

skl_result result_of(int os_error) {
  if (is_nowhere(static_cast<uint32_t>(os_error))) return SKL_NOT_FOUND;
  switch (os_error) {
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return SKL_OUT_OF_MEMORY;
    default:
      return SKL_IO;
  }
}

uint64_t joined(DWORD high, DWORD low) {
  return uint64_t{high} << 32 | low;
}

// Converts a time to ns since 1970; Windows counts from 1601 in steps of 100 ns.
int64_t ns_of(uint64_t time) {
  constexpr int64_t kFrom1601To1970 = 116'444'736'000'000'000;
  return (static_cast<int64_t>(time) - kFrom1601To1970) * 100;
}

FileStamp stamp_of(const BY_HANDLE_FILE_INFORMATION& file) {
  return {file.dwVolumeSerialNumber, joined(file.nFileIndexHigh, file.nFileIndexLow),
          joined(file.nFileSizeHigh, file.nFileSizeLow),
          ns_of(joined(file.ftLastWriteTime.dwHighDateTime, file.ftLastWriteTime.dwLowDateTime))};
}

// Returns the name "\\?\Volume{...}\" of the volume that an open file lies on, or an empty one if
// the system doesn't say.
std::wstring volume_of(HANDLE file) {
  std::wstring path(MAX_PATH, L'\0');
  const DWORD length = ::GetFinalPathNameByHandleW(
      file, path.data(), static_cast<DWORD>(path.size()), VOLUME_NAME_GUID);
  if (length == 0) return {};
  if (length >= path.size()) {
    path.resize(length);
    ::GetFinalPathNameByHandleW(file, path.data(), length, VOLUME_NAME_GUID);
  }
  const size_t end = path.find(L"}\\");
  return end == std::wstring::npos ? std::wstring() : path.substr(0, end + 2);
}

// Returns the position of the file's first byte on its volume. Returns none if there is no such
// position: Windows stores short files in the MFT, and network shares have no positions.
std::optional<uint64_t> start_on_volume(HANDLE file) {
  STARTING_VCN_INPUT_BUFFER from = {};
  RETRIEVAL_POINTERS_BUFFER runs = {};
  DWORD got = 0;
  const bool is_told = ::DeviceIoControl(file, FSCTL_GET_RETRIEVAL_POINTERS, &from, sizeof(from),
                                         &runs, sizeof(runs), &got, nullptr) != 0 ||
                       ::GetLastError() == ERROR_MORE_DATA;
  // Cluster 0 is the boot sector, and Wine returns it for every file. A negative number means that
  // nothing is stored there.
  if (!is_told || runs.ExtentCount == 0 || runs.Extents[0].Lcn.QuadPart <= 0) return std::nullopt;
  DWORD sectors = 0, sector_bytes = 0, free = 0, all = 0;
  if (::GetDiskFreeSpaceW(volume_of(file).c_str(), &sectors, &sector_bytes, &free, &all) == 0)
    return std::nullopt;
  return static_cast<uint64_t>(runs.Extents[0].Lcn.QuadPart) * sectors * sector_bytes;
}

// Handles for concurrent reads of one file. Windows allows only one call at a time on a handle for
// synchronous reads, so each reader takes its own. Further handles are opened when they are first
// needed. Readers share only one flag per handle.
class ReadHandles {
 public:
  explicit ReadHandles(Handle first) : first_(std::move(first)) {}
  ReadHandles(const ReadHandles&) = delete;
  ReadHandles& operator=(const ReadHandles&) = delete;
  ~ReadHandles() {
    for (const HANDLE more : more_)
      if (more != nullptr) ::CloseHandle(more);
  }

  HANDLE first() const { return first_.get(); }

  // Runs `work` with a handle that no other thread is using. If all are in use, shares one.
  template <typename Work>
  auto with_one(Work work) {
    for (size_t i = 0; i < kMost; ++i) {
      if (is_taken_[i].exchange(true, std::memory_order_acquire)) continue;
      const auto done = work(handle_of(i));
      is_taken_[i].store(false, std::memory_order_release);
      return done;
    }
    return work(first_.get());
  }

 private:
  static constexpr size_t kMost = 8;

  // Only the thread that has taken the handle may call this.
  HANDLE handle_of(size_t number) {
    if (number == 0) return first_.get();
    HANDLE& more = more_[number - 1];
    if (more == nullptr)
      more = Handle(::ReOpenFile(first_.get(), GENERIC_READ, kShared, 0)).release();
    return more != nullptr ? more : first_.get();
  }

  const Handle first_;
  std::array<HANDLE, kMost - 1> more_ = {};
  std::array<std::atomic<bool>, kMost> is_taken_ = {};
};

OVERLAPPED place_in_file(uint64_t offset_bytes) {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset_bytes);
  place.OffsetHigh = static_cast<DWORD>(offset_bytes >> 32);
  return place;
}

// A part of a file that the caller has opened.
struct BorrowedPart {
  uint64_t offset_bytes = 0;
  std::shared_ptr<const void> keeps;
};

class WindowsFile final : public File {
 public:
  WindowsFile(std::string name, Handle opened, const FileStamp& stamp, BorrowedPart part = {})
      : name_(std::move(name)),
        keeps_(std::move(part.keeps)),
        begin_bytes_(part.offset_bytes),
        handles_(std::move(opened)),
        unbuffered_(handles_.first()),
        stamp_(stamp) {}

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return stamp_.size_bytes; }
  FileStamp stamp() const override { return stamp_; }

  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    return handles_.with_one([&](HANDLE handle) { return read_by(handle, offset_bytes, into); });
  }

  // Windows has no hints for file ranges.
  void will_need(uint64_t, uint64_t) const override {}

  FilePlace place() const override {
    if (!was_asked_.load(std::memory_order_acquire)) {
      // Concurrent threads may each ask the system, and get the same answer.
      const auto start = start_on_volume(handles_.first());
      start_.store(start.value_or(place_by_number()) + begin_bytes_, std::memory_order_relaxed);
      is_known_.store(start.has_value(), std::memory_order_relaxed);
      was_asked_.store(true, std::memory_order_release);
    }
    return {stamp_.device, start_.load(std::memory_order_relaxed),
            is_known_.load(std::memory_order_relaxed), false};
  }

  std::optional<bool> says_rotational() const override {
    return has_seek_penalty(volume_of(handles_.first()));
  }

  // Returns none for a part of a file, because unbuffered reads must begin at a page boundary of
  // the whole file.
  intptr_t descriptor() const override {
    return keeps_ == nullptr ? reinterpret_cast<intptr_t>(&unbuffered_) : kNoDescriptor;
  }

 private:
  Result<void> read_by(HANDLE handle, uint64_t offset_bytes, std::span<std::byte> into) const {
    while (!into.empty()) {
      OVERLAPPED place = place_in_file(begin_bytes_ + offset_bytes);
      const auto wanted = static_cast<DWORD>(std::min<size_t>(into.size(), kMostOfACall));
      DWORD got = 0;
      const bool is_read = ::ReadFile(handle, into.data(), wanted, &got, &place) != 0;
      const int os_error = is_read ? 0 : last_error();
      if (os_error == ERROR_HANDLE_EOF || (is_read && got == 0))
        return std::unexpected(read_error(*this, offset_bytes, into.size(), 0));
      if (os_error != 0)
        return std::unexpected(read_error(*this, offset_bytes, into.size(), os_error));
      offset_bytes += got;
      into = into.subspan(got);
    }
    return {};
  }

  // Files created in sequence have ascending numbers and mostly lie in that order.
  uint64_t place_by_number() const {
    constexpr uint64_t kNumbers = uint64_t{1} << 20;
    constexpr uint64_t kApartBytes = uint64_t{1} << 42;
    return stamp_.number % kNumbers * kApartBytes;
  }

  std::string name_;
  std::shared_ptr<const void> keeps_;
  uint64_t begin_bytes_;  // where the part begins in the handle's file
  mutable ReadHandles handles_;
  mutable UnbufferedFile unbuffered_;
  FileStamp stamp_;
  mutable std::atomic<bool> was_asked_ = false;
  mutable std::atomic<uint64_t> start_ = 0;
  mutable std::atomic<bool> is_known_ = false;
};

class WindowsOutput final : public OutputFile {
 public:
  WindowsOutput(std::string name, Handle opened)
      : name_(std::move(name)), opened_(std::move(opened)) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const auto wanted = static_cast<DWORD>(std::min<size_t>(bytes.size(), kMostOfACall));
      DWORD put = 0;
      if (::WriteFile(opened_.get(), bytes.data(), wanted, &put, nullptr) == 0)
        return call_failed(name_, "write", last_error());
      bytes = bytes.subspan(put);
    }
    return {};
  }

 private:
  std::string name_;
  Handle opened_;
};

// Symbolic links and junctions count as `other`. Other reparse points (compressed files, cloud
// files) count as files.
FolderEntry::Kind kind_of(DWORD attributes, DWORD reparse_tag) {
  constexpr DWORD kStandsForAName = 0x20000000;  // a bit of the reparse tag
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && (reparse_tag & kStandsForAName) != 0)
    return FolderEntry::Kind::other;
  if ((attributes & FILE_ATTRIBUTE_DEVICE) != 0) return FolderEntry::Kind::other;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FolderEntry::Kind::folder
                                                      : FolderEntry::Kind::file;
}

void add_entry(const FILE_ID_BOTH_DIR_INFO& entry, uint64_t device,
               std::vector<FolderEntry>& entries) {
  const std::wstring_view name(entry.FileName, entry.FileNameLength / sizeof(wchar_t));
  if (name == L"." || name == L"..") return;
  const FileStamp stamp = {device, static_cast<uint64_t>(entry.FileId.QuadPart),
                           static_cast<uint64_t>(entry.EndOfFile.QuadPart),
                           ns_of(static_cast<uint64_t>(entry.LastWriteTime.QuadPart))};
  // For a reparse point, EaSize is the tag.
  entries.push_back({to_utf8(name), kind_of(entry.FileAttributes, entry.EaSize), stamp});
}

class WindowsFileIo final : public FileIo {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    Handle opened = open_as(path, GENERIC_READ, OPEN_EXISTING, 0);
    if (!opened) return failed_open(path, last_error());
    BY_HANDLE_FILE_INFORMATION found = {};
    // Pipes and consoles have names like files.
    const bool is_file = ::GetFileType(opened.get()) == FILE_TYPE_DISK;
    if (!is_file || ::GetFileInformationByHandle(opened.get(), &found) == 0)
      return call_failed(path, "open", is_file ? last_error() : ERROR_BAD_FILE_TYPE);
    return std::make_unique<WindowsFile>(path, std::move(opened), stamp_of(found));
  }

  Result<std::unique_ptr<OutputFile>> create(const std::string& path) const override {
    Handle opened = open_as(path, GENERIC_WRITE, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL);
    if (!opened) return call_failed(path, "create", last_error());
    return std::make_unique<WindowsOutput>(path, std::move(opened));
  }

  bool is_folder(const std::string& path) const override {
    const auto wide = to_wide_path(path);
    const DWORD found = wide ? ::GetFileAttributesW(wide->c_str()) : INVALID_FILE_ATTRIBUTES;
    return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY) != 0;
  }

  Result<std::vector<FolderEntry>> list(const std::string& folder) const override {
    const Handle opened =
        open_as(folder, FILE_LIST_DIRECTORY, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    BY_HANDLE_FILE_INFORMATION found = {};
    if (!opened || ::GetFileInformationByHandle(opened.get(), &found) == 0)
      return call_failed(folder, "open", last_error());
    std::vector<FolderEntry> entries;
    constexpr size_t kPieceBytes = size_t{64} << 10;
    const auto piece = std::make_unique<std::array<uint64_t, kPieceBytes / sizeof(uint64_t)>>();
    while (::GetFileInformationByHandleEx(opened.get(), FileIdBothDirectoryInfo, piece->data(),
                                          kPieceBytes) != 0) {
      const auto* at = reinterpret_cast<const std::byte*>(piece->data());
      for (DWORD step = 1; step != 0; at += step) {
        const auto& entry = *reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(at);
        add_entry(entry, found.dwVolumeSerialNumber, entries);
        step = entry.NextEntryOffset;
      }
    }
    if (::GetLastError() != ERROR_NO_MORE_FILES) return call_failed(folder, "read", last_error());
    return entries;
  }

  Result<FolderEntry> look(const std::string& path) const override {
    const Handle opened = open_as(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    BY_HANDLE_FILE_INFORMATION found = {};
    FILE_ATTRIBUTE_TAG_INFO tag = {};
    if (!opened || ::GetFileInformationByHandle(opened.get(), &found) == 0)
      return call_failed(path, "look at", last_error());
    ::GetFileInformationByHandleEx(opened.get(), FileAttributeTagInfo, &tag, sizeof(tag));
    return FolderEntry{{}, kind_of(found.dwFileAttributes, tag.ReparseTag), stamp_of(found)};
  }

 private:
  static Handle open_as(const std::string& path, DWORD access, DWORD how, DWORD flags) {
    const auto wide = to_wide_path(path);
    if (wide)
      return Handle(::CreateFileW(wide->c_str(), access, kShared, nullptr, how, flags, nullptr));
    ::SetLastError(ERROR_INVALID_NAME);
    return {};
  }

  // If the path is a folder, Windows only says that access is denied.
  std::unexpected<Error> failed_open(const std::string& path, int os_error) const {
    if (os_error != ERROR_ACCESS_DENIED || !is_folder(path))
      return call_failed(path, "open", os_error);
    return make_error(SKL_IO, {path, ": expected a file, found a folder"}, os_error);
  }
};

}  // namespace

std::optional<FolderEntry> follow_link(const std::string& path) {
  const auto wide = to_wide_path(path);
  if (!wide) return std::nullopt;
  const Handle opened(::CreateFileW(wide->c_str(), FILE_READ_ATTRIBUTES, kShared, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  BY_HANDLE_FILE_INFORMATION found = {};
  if (!opened || ::GetFileInformationByHandle(opened.get(), &found) == 0) return std::nullopt;
  const FolderEntry entry = {{}, kind_of(found.dwFileAttributes, 0), stamp_of(found)};
  return entry.kind == FolderEntry::Kind::other ? std::nullopt : std::optional(entry);
}

bool fits_unbuffered(uint64_t offset_bytes, std::span<const std::span<std::byte>> pieces) {
  const auto fits = [](std::span<std::byte> piece) {
    return (reinterpret_cast<uintptr_t>(piece.data()) | piece.size()) % kUnbufferedBytes == 0;
  };
  return offset_bytes % kUnbufferedBytes == 0 && std::ranges::all_of(pieces, fits);
}

HANDLE UnbufferedFile::handle_for(HANDLE port, uint64_t engine) {
  if (engine_ == engine) return own_.get();
  engine_ = engine;
  own_ = Handle(
      ::ReOpenFile(opened_, GENERIC_READ, kShared, FILE_FLAG_OVERLAPPED | FILE_FLAG_NO_BUFFERING));
  if (own_ && ::CreateIoCompletionPort(own_.get(), port, 0, 0) == nullptr) own_ = {};
  return own_.get();
}

std::unexpected<Error> call_failed(const std::string& name, const char* action, int os_error,
                                   uint64_t offset_bytes) {
  return make_error(
      result_of(os_error),
      {name, ": cannot ", action, ": ", text_of_error(static_cast<uint32_t>(os_error))}, os_error,
      offset_bytes);
}

// Windows doesn't tell whether a thread has waited for a device.
DeviceWait::DeviceWait() = default;
bool DeviceWait::has_happened() const {
  return false;
}

void will_fill(std::span<std::byte>) {}

void* allocate_aligned(size_t size_bytes, size_t alignment_bytes) {
  return ::_aligned_malloc(size_bytes, alignment_bytes);
}

void free_aligned(void* memory) {
  ::_aligned_free(memory);
}

std::unique_ptr<FileIo> make_system_file_io() {
  return std::make_unique<WindowsFileIo>();
}

Result<std::unique_ptr<File>> borrow_file(const std::string& name, intptr_t descriptor,
                                          uint64_t offset_bytes, uint64_t length_bytes,
                                          std::shared_ptr<const void> keeps) {
  HANDLE copy = nullptr;
  BY_HANDLE_FILE_INFORMATION status = {};
  const HANDLE self = ::GetCurrentProcess();
  const bool is_copied = ::DuplicateHandle(self, reinterpret_cast<HANDLE>(descriptor), self, &copy,
                                           0, FALSE, DUPLICATE_SAME_ACCESS) != 0;
  Handle opened(is_copied ? copy : nullptr);
  if (!is_copied || ::GetFileInformationByHandle(copy, &status) == 0) {
    const int os_error = last_error();
    return make_error(SKL_INVALID,
                      {name, ": descriptor: expected the HANDLE of an open file, found another: ",
                       text_of_error(static_cast<uint32_t>(os_error))},
                      os_error);
  }
  FileStamp stamp = stamp_of(status);
  if (auto wrong = not_in_file(name, stamp.size_bytes, offset_bytes, length_bytes))
    return std::unexpected(std::move(*wrong));
  stamp.size_bytes = length_bytes;
  return std::make_unique<WindowsFile>(name, std::move(opened), stamp,
                                       BorrowedPart{offset_bytes, std::move(keeps)});
}

}  // namespace seekless::runtime
