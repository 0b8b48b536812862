// The source of memory for blocks, tables and queues: the context creator's allocator, or the C
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "runtime/include/seekless.h"

namespace seekless::runtime {

class Memory {
 public:
  // Uses the C library.
  Memory() = default;
  // Copies `allocator`. If both of its functions are NULL, the C library is used.
  explicit Memory(const skl_allocator& allocator) : allocator_(allocator) {}

  // Throws std::bad_alloc. The alignment must be a power of two.
  void* allocate(size_t size_bytes, size_t alignment_bytes) const;
  // `size_bytes` must be the allocated size. Null is allowed.
  void release(void* memory, size_t size_bytes) const noexcept;

  friend bool operator==(const Memory& a, const Memory& b) {
    return a.allocator_.allocate == b.allocator_.allocate &&
           a.allocator_.release == b.allocator_.release && a.allocator_.user == b.allocator_.user;
  }

 private:
  skl_allocator allocator_ = {};
};

// An allocator for the standard library's containers.
template <typename T>
class Allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  Allocator() = default;
  Allocator(const Memory& memory) : memory_(memory) {}
  template <typename Other>
  Allocator(const Allocator<Other>& other) : memory_(other.memory()) {}

  T* allocate(size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* memory, size_t count) { memory_.release(memory, count * sizeof(T)); }
  const Memory& memory() const { return memory_; }
  friend bool operator==(const Allocator& a, const Allocator& b) { return a.memory_ == b.memory_; }

 private:
  Memory memory_;
};

template <typename T>
using Vector = std::vector<T, Allocator<T>>;

// Destroys what make_owned made, even through a pointer to its base class.
template <typename T>
class Disowner {
 public:
  Disowner() = default;
  Disowner(const Memory& memory, size_t size_bytes) : memory_(memory), size_bytes_(size_bytes) {}
  template <typename Derived>
  Disowner(const Disowner<Derived>& other)
      : memory_(other.memory()), size_bytes_(other.size_bytes()) {}
  // A base class lies at the front of the object.
  void operator()(T* thing) const {
    thing->~T();
    memory_.release(thing, size_bytes_);
  }
  const Memory& memory() const { return memory_; }
  size_t size_bytes() const { return size_bytes_; }

 private:
  Memory memory_;
  size_t size_bytes_ = 0;
};

template <typename T>
using Owned = std::unique_ptr<T, Disowner<T>>;

template <typename T, typename... Arguments>
Owned<T> make_owned(const Memory& memory, Arguments&&... arguments) {
  void* const place = memory.allocate(sizeof(T), alignof(T));
  try {
    return Owned<T>(new (place) T(std::forward<Arguments>(arguments)...),
                    Disowner<T>(memory, sizeof(T)));
  } catch (...) {
    memory.release(place, sizeof(T));
    throw;
  }
}

}  // namespace seekless::runtime
