#include <algorithm>
#include <array>
#include <utility>

#include <windows.h>

#include "runtime/file_io.h"
#include "runtime/folder_watch.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"
#include "runtime/wait_handle.h"

namespace seekless::runtime {
namespace {

constexpr DWORD kTouches = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME |
                           FILE_NOTIFY_CHANGE_SIZE | FILE_NOTIFY_CHANGE_LAST_WRITE |
                           FILE_NOTIFY_CHANGE_CREATION;
// The largest buffer that Windows accepts for a network folder.
constexpr size_t kRoomBytes = 64 * 1024;
// Interval at which the watch checks that the folder is still in its place. Windows doesn't report
// that the folder itself was renamed.
constexpr uint32_t kLookMs = 1000;
constexpr DWORD kFolderShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr DWORD kFolderHow = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OVERLAPPED;

Handle open_folder(const std::string& folder) {
  const auto wide = to_wide_path(folder);
  if (!wide) {
    ::SetLastError(ERROR_INVALID_NAME);
    return Handle();
  }
  return Handle(::CreateFileW(wide->c_str(), FILE_LIST_DIRECTORY, kFolderShared, nullptr,
                              OPEN_EXISTING, kFolderHow, nullptr));
}

bool is_same(HANDLE a, HANDLE b) {
  BY_HANDLE_FILE_INFORMATION of_a = {};
  BY_HANDLE_FILE_INFORMATION of_b = {};
  return ::GetFileInformationByHandle(a, &of_a) != 0 &&
         ::GetFileInformationByHandle(b, &of_b) != 0 &&
         of_a.dwVolumeSerialNumber == of_b.dwVolumeSerialNumber &&
         of_a.nFileIndexHigh == of_b.nFileIndexHigh && of_a.nFileIndexLow == of_b.nFileIndexLow;
}

class WindowsWatch final : public FolderWatch {
 public:
  WindowsWatch(std::string folder, Handle opened, std::unique_ptr<WaitHandle> told,
               std::unique_ptr<WaitHandle> woken)
      : folder_(std::move(folder)),
        opened_(std::move(opened)),
        told_(std::move(told)),
        woken_(std::move(woken)) {}

  ~WindowsWatch() override {
    if (!is_asked_) return;
    DWORD got = 0;
    ::CancelIoEx(opened_.get(), &call_);
    ::GetOverlappedResult(opened_.get(), &call_, &got, TRUE);
  }

  Result<void> ask() {
    call_ = {};
    call_.hEvent = reinterpret_cast<HANDLE>(told_->get());
    is_asked_ = ::ReadDirectoryChangesW(opened_.get(), room_.data(), kRoomBytes, TRUE, kTouches,
                                        nullptr, &call_, nullptr) != 0;
    if (is_asked_) return {};
    return call_failed(folder_, "watch", last_error());
  }

  Result<std::vector<std::string>> wait(uint32_t timeout_ms) override {
    const std::array<HANDLE, 2> waits = {call_.hEvent, reinterpret_cast<HANDLE>(woken_->get())};
    for (uint32_t rest_ms = timeout_ms;;) {
      const uint32_t step_ms = std::min(rest_ms, kLookMs);
      if (::WaitForMultipleObjects(2, waits.data(), FALSE, step_ms) != WAIT_TIMEOUT) break;
      if (!is_in_place()) return folder_gone(folder_);
      if (step_ms == rest_ms) break;
      if (timeout_ms != UINT32_MAX) rest_ms -= step_ms;
    }
    woken_->clear();
    std::vector<std::string> touched;
    DWORD got = 0;
    if (::GetOverlappedResult(opened_.get(), &call_, &got, FALSE) == 0) {
      if (::GetLastError() == ERROR_IO_INCOMPLETE) return touched;
      if (::GetLastError() != ERROR_NOTIFY_ENUM_DIR) {
        const DWORD failure = ::GetLastError();
        is_asked_ = false;
        looked_ms_ = 0;
        if (!is_in_place()) return folder_gone(folder_);
        return call_failed(folder_, "watch", static_cast<int>(failure));
      }
      got = 0;
    }
    is_asked_ = false;
    if (got == 0)
      touched.emplace_back();  // more changes than the buffer holds
    else
      take(touched);
    if (auto asked = ask(); !asked) return std::unexpected(asked.error());
    return touched;
  }

  void wake() override { woken_->signal(); }

 private:
  void take(std::vector<std::string>& touched) const {
    const auto* at = reinterpret_cast<const std::byte*>(room_.data());
    for (DWORD step = 1; step != 0; at += step) {
      const auto& one = *reinterpret_cast<const FILE_NOTIFY_INFORMATION*>(at);
      std::string path = to_utf8({one.FileName, one.FileNameLength / sizeof(wchar_t)});
      for (char& c : path)
        if (c == '\\') c = '/';
      touched.push_back(std::move(path));
      step = one.NextEntryOffset;
    }
  }

  // Checks only at intervals; in between, returns true.
  bool is_in_place() {
    const uint64_t now_ms = ::GetTickCount64();
    if (now_ms - looked_ms_ < kLookMs) return true;
    looked_ms_ = now_ms;
    const Handle found = open_folder(folder_);
    return found && is_same(found.get(), opened_.get());
  }

  const std::string folder_;
  const Handle opened_;
  const std::unique_ptr<WaitHandle> told_;
  const std::unique_ptr<WaitHandle> woken_;
  OVERLAPPED call_ = {};
  bool is_asked_ = false;
  uint64_t looked_ms_ = ::GetTickCount64();
  std::array<uint64_t, kRoomBytes / sizeof(uint64_t)> room_ = {};
};

}  // namespace

Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& folder) {
  Handle opened = open_folder(folder);
  if (!opened) return call_failed(folder, "watch", last_error());
  auto told = WaitHandle::make();
  if (!told) return std::unexpected(told.error());
  auto woken = WaitHandle::make();
  if (!woken) return std::unexpected(woken.error());
  auto watch = std::make_unique<WindowsWatch>(folder, std::move(opened), std::move(*told),
                                              std::move(*woken));
  if (auto asked = watch->ask(); !asked) return std::unexpected(asked.error());
  return watch;
}

}  // namespace seekless::runtime
