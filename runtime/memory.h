// Where blocks, tables and queues come from: the allocator of the context's creator, or the C
// library's.
#pragma once

#include <cstddef>

#include "runtime/include/seekless.h"

namespace seekless::runtime {

class Memory {
 public:
  // The C library's.
  Memory() = default;
  // `allocator` is copied; both functions NULL: the C library's.
  explicit Memory(const skl_allocator& allocator) : allocator_(allocator) {}

  // Throws std::bad_alloc. The alignment is a power of two.
  void* allocate(size_t size_bytes, size_t alignment_bytes) const;
  // With the size that was asked for. Null is allowed.
  void release(void* memory, size_t size_bytes) const noexcept;

 private:
  skl_allocator allocator_ = {};
};

}  // namespace seekless::runtime
