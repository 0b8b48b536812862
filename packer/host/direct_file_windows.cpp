#include <cerrno>
#include <new>

#include <fmt/format.h>
#include <io.h>
#include <malloc.h>
#include <windows.h>
#include <winioctl.h>

#include "packer/host/calls.h"
#include "packer/host/direct_file.h"
#include "packer/host/errors_windows.h"
#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

constexpr size_t kAlignmentBytes = 4096;  // sector size of any drive, or a multiple of it
constexpr const char* kAdvice =
    "name the drive, such as \\\\.\\PhysicalDrive0, or a large file on it";

HANDLE handle_of_descriptor(int file) {
  return reinterpret_cast<HANDLE>(::_get_osfhandle(file));
}

bool names_device(const std::string& path) {
  return path.starts_with("\\\\.\\") || path.starts_with("//./");
}

uint64_t size_of_device(HANDLE device) {
  GET_LENGTH_INFORMATION found = {};
  DWORD got = 0;
  if (::DeviceIoControl(device, IOCTL_DISK_GET_LENGTH_INFO, nullptr, 0, &found, sizeof(found), &got,
                        nullptr) == 0)
    return 0;
  return static_cast<uint64_t>(found.Length.QuadPart);
}

bool is_about_the_place(DWORD os_error) {
  return os_error == ERROR_CRC || os_error == ERROR_SECTOR_NOT_FOUND ||
         os_error == ERROR_READ_FAULT || os_error == ERROR_IO_DEVICE;
}

}  // namespace

void DirectFile::FreeAligned::operator()(std::byte* bytes) const {
  ::_aligned_free(bytes);
}

Result<DirectFile> DirectFile::open(const std::string& path, uint64_t largest_read_bytes) {
  const bool is_device = names_device(path);
  const auto name = runtime::to_wide_path(path);
  runtime::Handle handle(::CreateFileW(name ? name->c_str() : L"", GENERIC_READ,
                                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                       nullptr, OPEN_EXISTING, FILE_FLAG_NO_BUFFERING, nullptr));
  if (!handle) {
    const int os_error = errno_of_last_error();
    return failed_call(path, "open", os_error,
                       os_error == EACCES ? "a drive can be read by an administrator" : "");
  }
  const int number = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle.get()), 0);
  if (number < 0) return failed_call(path, "open", errno);
  (void)handle.release();
  DirectFile file(path, Descriptor(number), 0, is_device);
  calls::Status status;
  if (is_device)
    file.size_bytes_ = size_of_device(handle_of_descriptor(number));
  else if (calls::look_at(number, status))
    file.size_bytes_ = status.size_bytes;
  if (file.size_bytes_ == 0)
    return failed({.file = path,
                   .expected = "a drive, or a file on one",
                   .found = is_device ? "a device of 0 bytes, without a medium" : "an empty file",
                   .advice = kAdvice});
  file.buffer_.reset(
      static_cast<std::byte*>(::_aligned_malloc(largest_read_bytes, kAlignmentBytes)));
  if (!file.buffer_) throw std::bad_alloc();
  return file;
}

Result<bool> DirectFile::read(uint64_t position_bytes, uint64_t length_bytes) {
  for (uint64_t done_bytes = 0; done_bytes < length_bytes;) {
    if (is_interrupted())
      return failed({.file = name_,
                     .found = "the run interrupted",
                     .advice = "nothing was written; run it again"});
    const uint64_t at = position_bytes + done_bytes;
    OVERLAPPED place = {};
    place.Offset = static_cast<DWORD>(at);
    place.OffsetHigh = static_cast<DWORD>(at >> 32);
    DWORD got = 0;
    if (::ReadFile(handle_of_descriptor(descriptor_.get()), buffer_.get(),
                   static_cast<DWORD>(length_bytes - done_bytes), &got, &place) == 0) {
      if (is_about_the_place(::GetLastError())) return false;
      if (::GetLastError() != ERROR_HANDLE_EOF)
        return failed_call(name_, fmt::format("read at byte {} of", at), errno_of_last_error());
    }
    if (got == 0)
      return failed({.file = name_,
                     .place = fmt::format("byte {}", at),
                     .expected = fmt::format("{} bytes in all", size_bytes_),
                     .found = "the end",
                     .advice = "it changed while it was measured"});
    done_bytes += got;
  }
  return true;
}

}  // namespace seekless
