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

// Says what an edited asset keeps of its former bytes, as far as this was examined.
struct KeptBytes {
  format::ContentHash old_hash = {};
  uint64_t front_bytes = 0;        // bytes that begin both
  uint64_t back_bytes = 0;         // bytes that end both, outside the front
  uint64_t fresh_chunk_bytes = 0;  // bytes in content-defined chunks that it didn't have
};
// Keyed by the new content. Content that is missing here keeps nothing; a forecast is then an upper
// bound.
using KeptContent = std::map<format::ContentHash, KeptBytes>;

// A part of a pack: content, known by its hash, between zeros.
struct Piece {
  uint64_t begin = 0;  // offset in the file
  uint64_t size_bytes = 0;
  format::ContentHash hash = {};

  uint64_t end() const { return begin + size_bytes; }
};

// A pack, as far as its bytes are known before it is written.
struct PackBytes {
  uint64_t data_offset_bytes = 0;
  uint64_t end_bytes = 0;
  uint64_t numbers_bytes = 0;       // size of the tables without the names, which follow
  format::ContentHash tables = {};  // hash of all that decides the tables
  format::ContentHash names = {};   // hash of all that decides names and slots
  std::vector<Piece> pieces;        // sorted by place; equal content only once
};

// Includes the pack's dead content, because players have that too.
PackBytes bytes_of(const LockedPack& pack);
// `pack` must have places.
PackBytes bytes_of(const LaidPack& pack, const HashedContent& hashed);

// Finds which former content an edited content still has.
class Heirs {
 public:
  explicit Heirs(const KeptContent& kept) : kept_(kept) {}

  // Returns the old content if the bytes of the piece from `begin` to `end` are its; else the
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
