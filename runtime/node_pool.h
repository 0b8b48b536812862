// Memory for the nodes of sets and maps that grow and shrink constantly. It is allocated in chunks
// and reused for later nodes, so after a while nothing is allocated. One thread at a time may use
// it.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "runtime/memory.h"

namespace seekless::runtime {

class NodePool {
 public:
  explicit NodePool(const Memory& memory) : memory_(memory) {}
  // All nodes must have been freed.
  ~NodePool() {
    while (chunks_ != nullptr) {
      Chunk* const chunk = std::exchange(chunks_, chunks_->next);
      memory_.release(chunk, chunk->size_bytes);
    }
  }
  NodePool(const NodePool&) = delete;
  NodePool& operator=(const NodePool&) = delete;

  // Throws std::bad_alloc. A request too large for a node goes straight to Memory.
  void* allocate(size_t size_bytes) {
    if (size_bytes > kMostNodeBytes) return memory_.allocate(size_bytes, kStepBytes);
    Node*& free = free_[kind_of(size_bytes)];
    if (free == nullptr) grow(free, (kind_of(size_bytes) + 1) * kStepBytes);
    return std::exchange(free, free->next);
  }
  void release(void* memory, size_t size_bytes) noexcept {
    if (size_bytes > kMostNodeBytes) return memory_.release(memory, size_bytes);
    Node*& free = free_[kind_of(size_bytes)];
    free = new (memory) Node{free};
  }

 private:
  static constexpr size_t kStepBytes = alignof(std::max_align_t);
  static constexpr size_t kMostNodeBytes = 16 * kStepBytes;
  static constexpr size_t kNodesPerChunk = 64;

  struct Node {
    Node* next;
  };
  struct alignas(std::max_align_t) Chunk {
    Chunk* next;
    size_t size_bytes;
  };

  static size_t kind_of(size_t size_bytes) { return (size_bytes - 1) / kStepBytes; }

  void grow(Node*& free, size_t node_bytes) {
    const size_t size_bytes = sizeof(Chunk) + kNodesPerChunk * node_bytes;
    auto* const bytes = static_cast<std::byte*>(memory_.allocate(size_bytes, alignof(Chunk)));
    chunks_ = new (bytes) Chunk{chunks_, size_bytes};
    for (size_t i = kNodesPerChunk; i-- > 0;)
      free = new (bytes + sizeof(Chunk) + i * node_bytes) Node{free};
  }

  const Memory memory_;
  std::array<Node*, kMostNodeBytes / kStepBytes> free_ = {};  // free nodes, by size
  Chunk* chunks_ = nullptr;
};

// An allocator for the standard library's containers. The pool must outlive them.
template <typename T>
class NodeAllocator {
 public:
  using value_type = T;
  NodeAllocator(NodePool& pool) : pool_(&pool) {}
  template <typename Other>
  NodeAllocator(const NodeAllocator<Other>& other) : pool_(other.pool()) {}

  T* allocate(size_t count) { return static_cast<T*>(pool_->allocate(count * sizeof(T))); }
  void deallocate(T* memory, size_t count) { pool_->release(memory, count * sizeof(T)); }
  NodePool* pool() const { return pool_; }
  friend bool operator==(const NodeAllocator& a, const NodeAllocator& b) = default;

 private:
  NodePool* pool_;
};

}  // namespace seekless::runtime
