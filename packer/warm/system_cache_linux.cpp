#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "packer/drive/sweep.h"
#include "packer/host/os_error.h"
#include "packer/warm/system_cache.h"
#include "runtime/media.h"

namespace seekless {

// Linux's mincore gives true answers only to users who own the file or may write to it.
bool tells_cached(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return false;
  return geteuid() == 0 || status.st_uid == geteuid() ||
         faccessat(descriptor, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

std::optional<std::vector<bool>> cached_pages(int descriptor, uint64_t offset_bytes,
                                              uint64_t length_bytes) {
  void* at = mmap(nullptr, length_bytes, PROT_READ, MAP_SHARED, descriptor,
                  static_cast<off_t>(offset_bytes));
  if (at == MAP_FAILED) return std::nullopt;
  std::vector<unsigned char> pages((length_bytes + kCachedPageBytes - 1) / kCachedPageBytes);
  const bool is_told = mincore(at, length_bytes, pages.data()) == 0;
  munmap(at, length_bytes);
  if (!is_told) return std::nullopt;
  std::vector<bool> cached(pages.size());
  for (size_t i = 0; i < pages.size(); ++i) cached[i] = (pages[i] & 1) != 0;
  return cached;
}

std::optional<uint64_t> cached_bytes(int descriptor, uint64_t offset_bytes, uint64_t length_bytes) {
  const auto pages = cached_pages(descriptor, offset_bytes, length_bytes);
  if (!pages) return std::nullopt;
  uint64_t cached = 0;
  for (size_t i = 0; i < pages->size(); ++i)
    if ((*pages)[i]) cached += std::min(kCachedPageBytes, length_bytes - i * kCachedPageBytes);
  return cached;
}

bool is_cached(int descriptor, uint64_t offset_bytes, uint64_t length_bytes) {
  return tells_cached(descriptor) &&
         cached_bytes(descriptor, offset_bytes, length_bytes) == length_bytes;
}

bool drop_cached(int descriptor) {
  return posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0;
}

bool reads_ahead_itself(int descriptor, uint64_t read_bytes) {
  struct stat status = {};
  return fstat(descriptor, &status) == 0 &&
         runtime::read_ahead_of(status.st_dev).window_bytes == read_bytes;
}

void read_ahead(int descriptor, uint64_t offset_bytes, uint64_t length_bytes) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return;
  // Linux silently cuts off a longer hint, and the rest would be read later, against the sweep.
  const uint64_t hint_bytes = runtime::read_ahead_of(status.st_dev).longest_hint_bytes;
  for (uint64_t done = 0; done < length_bytes; done += hint_bytes)
    posix_fadvise(descriptor, static_cast<off_t>(offset_bytes + done),
                  static_cast<off_t>(std::min(hint_bytes, length_bytes - done)),
                  POSIX_FADV_WILLNEED);
}

// These are from ioprio_set(2). <linux/ioprio.h> can't be used: since Debian's 6.1.192 it is C only
// (it names a parameter `class`), and there is no other header.
constexpr int kIoprioWhoProcess = 1;
constexpr int kIoprioClassIdle = 3;
constexpr int kIoprioClassShift = 13;

Result<void> read_when_idle() {
  const int priority = kIoprioClassIdle << kIoprioClassShift;
  if (syscall(SYS_ioprio_set, kIoprioWhoProcess, 0, priority) != 0)
    return failed_call("--idle", "lower the priority of reading", errno);
  return {};
}

}  // namespace seekless
