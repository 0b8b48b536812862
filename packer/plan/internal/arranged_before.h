// Remembers what one plan has arranged. A plan tries many drafts, each without some runs. Leaving
// out runs seldom changes which scenarios share what, so the same content comes up again.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>

#include "packer/plan/internal/shared_content.h"
#include "runtime/pack_format.h"

namespace seekless {

// Returns a hash of an arrangement, for the settings of ArrangedBefore::get.
uint64_t hash_of(const Arrangement& arrangement);

// Not thread-safe.
class ArrangedBefore {
 public:
  // Returns what `make` returned for the same content and the same settings, or calls it.
  template <typename Make>
  Arrangement get(const SharedContent& content, std::initializer_list<uint64_t> settings,
                  const Make& make) {
    const format::ContentHash hash = hash_of(content, settings);
    for (const Entry& entry : entries_)
      if (entry.hash == hash) return entry.arrangement;
    return keep(hash, make());
  }

 private:
  struct Entry {
    format::ContentHash hash;
    Arrangement arrangement;
  };

  static format::ContentHash hash_of(const SharedContent& content,
                                     std::initializer_list<uint64_t> settings);
  // Forgets the oldest ones if they take too much memory.
  const Arrangement& keep(const format::ContentHash& hash, Arrangement arrangement);

  std::deque<Entry> entries_;
  uint64_t kept_bytes_ = 0;
};

}  // namespace seekless
