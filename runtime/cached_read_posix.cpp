#include "runtime/cached_read.h"

// Android's system call filter kills a process that makes this call. Alpha and MIPS have other call
// numbers.
#if defined(__linux__) && !defined(__ANDROID__) && !defined(__alpha__) && !defined(__mips__)
#include <atomic>
#include <cerrno>

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef RWF_NOWAIT
#define SEEKLESS_CAN_ASK_CACHE
#endif
#endif

namespace seekless::runtime {

#ifdef SEEKLESS_CAN_ASK_CACHE

namespace {

// These match linux/mman.h of Linux 6.5, which Debian 12 doesn't have yet.
constexpr long kCachestatCall = 451;
struct CachestatRange {
  uint64_t offset_bytes;
  uint64_t length_bytes;
};
struct Cachestat {
  uint64_t cached_pages;
  uint64_t dirty_pages;
  uint64_t written_pages;
  uint64_t evicted_pages;
  uint64_t recently_evicted_pages;
};

bool is_cached(int descriptor, uint64_t offset_bytes, uint64_t length_bytes) {
  static std::atomic<bool> is_told = true;
  if (!is_told.load(std::memory_order_relaxed)) return false;
  static const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  CachestatRange range = {offset_bytes, length_bytes};
  Cachestat found = {};
  if (::syscall(kCachestatCall, descriptor, &range, &found, 0U) != 0) {
    // EPERM may apply only to this file.
    if (errno == ENOSYS) is_told.store(false, std::memory_order_relaxed);
    return false;
  }
  const uint64_t first = offset_bytes / page_bytes;
  const uint64_t last = (offset_bytes + length_bytes - 1) / page_bytes;
  return found.cached_pages >= last - first + 1;
}

}  // namespace

// A page in the cache may still be being read; RWF_NOWAIT doesn't wait for it.
bool read_cached(const File& file, uint64_t offset_bytes, std::span<std::byte> into) {
  const auto descriptor = static_cast<int>(file.descriptor());
  if (descriptor < 0 || into.empty()) return false;
  const uint64_t at = file.descriptor_offset_bytes() + offset_bytes;
  if (!is_cached(descriptor, at, into.size())) return false;
  const iovec whole = {into.data(), into.size()};
  return ::preadv2(descriptor, &whole, 1, static_cast<off_t>(at), RWF_NOWAIT) ==
         static_cast<ssize_t>(into.size());
}

#else

bool read_cached(const File&, uint64_t, std::span<std::byte>) {
  return false;
}

#endif

}  // namespace seekless::runtime
