// Describes the bytes of packs before they are written, as far as they are known: contents at their
// places, zeros between them, and tables. Forecasts use it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "packer/keep/lock.h"
#include "packer/layout/layout.h"
#include "runtime/pack_format.h"

namespace seekless {

// Tells how much of its former bytes an edited asset keeps, as far as this was examined.
struct KeptBytes {
  format::ContentHash old_hash = {};
  uint64_t front_bytes = 0;        // number of equal bytes at the front
  uint64_t back_bytes = 0;         // number of equal bytes at the end, outside the front
  uint64_t fresh_chunk_bytes = 0;  // bytes in content-defined chunks that the former content lacks
};
// Keyed by the new content. Content that is missing here counts as keeping nothing, which makes a
// forecast an upper bound.
using KeptContent = std::map<format::ContentHash, KeptBytes>;

// Describes a part of a pack: content, known by its hash, between zeros.
struct Piece {
  uint64_t begin = 0;  // offset in the file
  uint64_t size_bytes = 0;
  format::ContentHash hash = {};

  uint64_t end() const { return begin + size_bytes; }
};

// Describes a pack, as far as its bytes are known before it is written.
struct PackBytes {
  uint64_t data_offset_bytes = 0;
  uint64_t end_bytes = 0;
  uint64_t numbers_bytes = 0;       // size of the tables without the names, which follow
  format::ContentHash tables = {};  // hash of everything that the tables depend on
  format::ContentHash names = {};   // hash of everything that names and slots depend on
  std::vector<Piece> pieces;        // sorted by place; equal content only once
};

// Includes the pack's dead content, because players also have that.
PackBytes bytes_of(const LockedPack& pack);
// `pack` must have places.
PackBytes bytes_of(const LaidPack& pack, const HashedContent& hashed);

// Finds the former content that an edited content still contains.
class Heirs {
 public:
  explicit Heirs(const KeptContent& kept) : kept_(kept) {}

  // Returns the old content if the piece's bytes from `begin` to `end` come from it; otherwise the
  // piece's own content.
  const format::ContentHash& content_in(const Piece& piece, uint64_t begin, uint64_t end) const {
    const auto found = kept_.find(piece.hash);
    if (found == kept_.end()) return piece.hash;
    return end - piece.begin <= found->second.front_bytes && begin >= piece.begin
               ? found->second.old_hash
               : piece.hash;
  }
  const KeptBytes* of(const format::ContentHash& content) const {
    const auto found = kept_.find(content);
    return found == kept_.end() ? nullptr : &found->second;
  }

 private:
  const KeptContent& kept_;
};

}  // namespace seekless
