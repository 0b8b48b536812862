// Keeps the latest frames of compressed blocks that were decoded for single assets, because an
// asset's neighbours are often wanted soon after it. Their memory counts in the budget, and is
// given up when others need it.
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
  // aren't here.
  Buffer find(uint64_t pack, uint32_t frame, uint64_t raw_bytes);
  // Returns true if the frame is here, even if only the front of it is.
  bool has(uint64_t pack, uint32_t frame) const;
  // Keeps the frame, of which `raw_bytes` are decoded, in place of those used longest ago. Without
  // memory for the entry, keeps nothing.
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
  uint64_t bytes_ = 0;       // of all entries
  Entries entries_{nodes_};  // the latest used first
  std::map<Key, Entries::iterator, std::less<>,
           NodeAllocator<std::pair<const Key, Entries::iterator>>>
      places_{nodes_};
};

}  // namespace seekless::runtime
