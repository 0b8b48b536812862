#include <utility>

#include <sys/mman.h>
#include <sys/resource.h>

#include "packer/drive/sweep.h"
#include "packer/serve/internal/mapped_pages.h"

namespace seekless {
namespace {

// Linux allows a process 65,530 mappings, and the process needs some for other things.
constexpr size_t kMostPieces = 20'000;

}  // namespace

bool MappedPages::can_keep() {
  static const bool has_address_space = [] {
    rlimit limit = {};
    return sizeof(void*) >= sizeof(uint64_t) && ::getrlimit(RLIMIT_AS, &limit) == 0 &&
           limit.rlim_cur == RLIM_INFINITY;
  }();
  return has_address_space;
}

void MappedPages::keep(int file, uint64_t offset_bytes, uint64_t length_bytes) {
  if (!can_keep() || length_bytes == 0) return;
  const uint64_t begin = offset_bytes / kCachedPageBytes * kCachedPageBytes;
  const size_t length = offset_bytes + length_bytes - begin;
  void* at = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file, static_cast<off_t>(begin));
  if (at == MAP_FAILED) return;
  const std::span piece(static_cast<std::byte*>(at), length);
  // Unlike a read through the mapping, this call fails if the file has been truncated meanwhile.
  const bool is_there = ::madvise(at, length, MADV_POPULATE_READ) == 0;
  const std::lock_guard lock(mutex_);
  if (is_there && mapped_.size() < kMostPieces)
    mapped_.push_back(piece);
  else
    ::munmap(at, length);
}

void MappedPages::let_go() {
  const std::lock_guard lock(mutex_);
  for (const std::span<std::byte> piece : std::exchange(mapped_, {}))
    ::munmap(piece.data(), piece.size());
}

}  // namespace seekless
