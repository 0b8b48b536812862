// Caches the latest decoded frames of compressed blocks, because a game often reads an asset's
// neighbours soon after it. Their memory counts toward the budget, and is released when others need
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "runtime/block_pool.h"
#include "runtime/memory.h"
#include "runtime/node_pool.h"
#include "runtime/watch.h"

namespace seekless::runtime {

// Any thread may call any function.
class DecodedFrames final : private BlockUser {
 public:
  // Keeps up to a quarter of the pool's budget. Throws std::bad_alloc. The pool must outlive it.
  DecodedFrames(BlockPool& pool, const Memory& memory);
  ~DecodedFrames();
  DecodedFrames(const DecodedFrames&) = delete;
  DecodedFrames& operator=(const DecodedFrames&) = delete;

  BlockPool& pool() const { return pool_; }

  // Returns a frame by its pack's id and its number in the pack, or null if its first `raw_bytes`
  // aren't cached.
  Buffer find(uint64_t pack, uint32_t frame, uint64_t raw_bytes);
  // Returns true if at least the front of the frame is cached.
  bool has(uint64_t pack, uint32_t frame) const;
  // Caches the frame, of which `raw_bytes` are decoded, and removes the least recently used ones.
  // If there is no memory for the entry, caches nothing.
  void keep(uint64_t pack, uint32_t frame, uint64_t raw_bytes, Buffer decoded) noexcept;

  // bytes copied from these frames into callers' memory
  Count copied_bytes = 0;

 private:
  using Key = std::pair<uint64_t, uint32_t>;  // a pack's id, and a frame
  struct Entry {
    Key key;
    uint64_t raw_bytes;  // decoded so far, from the front
    Buffer buffer;
  };
  using Entries = std::list<Entry, NodeAllocator<Entry>>;

  void memory_is_free() override {}
  void give_up_ahead() override;
  bool put(const Key& key, uint64_t raw_bytes, Buffer& decoded);
  Buffer take_oldest();

  BlockPool& pool_;
  const uint64_t most_bytes_;
  mutable std::mutex mutex_;  // never held while a buffer is acquired or released
  NodePool nodes_;
  uint64_t bytes_ = 0;       // total of all entries
  Entries entries_{nodes_};  // most recently used first
  std::map<Key, Entries::iterator, std::less<>,
           NodeAllocator<std::pair<const Key, Entries::iterator>>>
      places_{nodes_};
};

}  // namespace seekless::runtime
