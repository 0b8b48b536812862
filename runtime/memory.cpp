#include "runtime/memory.h"

#include <algorithm>
#include <new>

#include "runtime/file_io.h"
#include "runtime/pack_format.h"

namespace seekless::runtime {

void* Memory::allocate(size_t size_bytes, size_t alignment_bytes) const {
  const size_t alignment = std::max(alignment_bytes, sizeof(void*));
  if (size_bytes > SIZE_MAX - alignment) throw std::bad_alloc();
  const size_t rounded = format::round_up(std::max<size_t>(size_bytes, 1), alignment);
  void* memory = allocator_.allocate != nullptr
                     ? allocator_.allocate(allocator_.user, size_bytes, alignment)
                     : allocate_aligned(rounded, alignment);
  if (memory == nullptr) throw std::bad_alloc();
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
