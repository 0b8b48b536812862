#include "runtime/memory.h"

#include <algorithm>
#include <new>

#include "runtime/file_io.h"
#include "runtime/pack_format.h"

namespace seekless::runtime {

// Whole large pages are aligned to large pages, because the system takes longer to hand out small
// pages one by one than a sweep takes to check what it reads into them. A caller's allocator may
// have no room to align them.
void* Memory::allocate(size_t size_bytes, size_t alignment_bytes) const {
  size_t alignment = std::max(alignment_bytes, sizeof(void*));
  if (allocator_.allocate == nullptr && size_bytes > 0 && size_bytes % kLargePageBytes == 0)
    alignment = kLargePageBytes;
  if (size_bytes > SIZE_MAX - alignment) throw std::bad_alloc();
  const size_t rounded = format::round_up(std::max<size_t>(size_bytes, 1), alignment);
  void* memory = allocator_.allocate != nullptr
                     ? allocator_.allocate(allocator_.user, size_bytes, alignment)
                     : allocate_aligned(rounded, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  if (alignment == kLargePageBytes) will_fill({static_cast<std::byte*>(memory), size_bytes});
  return memory;
}

void Memory::release(void* memory, size_t size_bytes) const noexcept {
  if (memory == nullptr) return;
  if (allocator_.release != nullptr) {
    allocator_.release(allocator_.user, memory, size_bytes);
  } else {
    free_aligned(memory);
  }
}

}  // namespace seekless::runtime
