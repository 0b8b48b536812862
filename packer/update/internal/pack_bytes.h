// The bytes of packs before they are written, as far as they are known: contents at places, zeros
// between them, and tables. Forecasts work on it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "packer/keep/lock.h"
#include "packer/layout/layout.h"
#include "runtime/pack_format.h"

namespace seekless {

// What an edited asset keeps of the bytes that it had, as far as somebody has looked.
struct KeptBytes {
  format::ContentHash old_hash = {};
  uint64_t front_bytes = 0;        // that begin both
  uint64_t back_bytes = 0;         // that end both, without those
  uint64_t fresh_chunk_bytes = 0;  // in content-defined chunks that it didn't have
};
// By the new content. What isn't in it keeps nothing: then a forecast is the most that it can be.
using KeptContent = std::map<format::ContentHash, KeptBytes>;

// A part of a pack: content, known by its hash, between zeros.
struct Piece {
  uint64_t begin = 0;  // in the file
  uint64_t size_bytes = 0;
  format::ContentHash hash = {};

  uint64_t end() const { return begin + size_bytes; }
};

// A pack, as far as its bytes are known before it is written.
struct PackBytes {
  uint64_t data_offset_bytes = 0;
  uint64_t end_bytes = 0;
  uint64_t numbers_bytes = 0;       // of the tables but for the names, which follow
  format::ContentHash tables = {};  // of all that decides them
  format::ContentHash names = {};   // of all that decides names and slots
  std::vector<Piece> pieces;        // by place; equal content once
};

// With what is dead in it: players have that, too.
PackBytes bytes_of(const LockedPack& pack);
// Of a pack with places.
PackBytes bytes_of(const LaidPack& pack, const HashedContent& hashed);

// What edited contents keep of those that they were.
class Heirs {
 public:
  explicit Heirs(const KeptContent& kept) : kept_(kept) {}

  // What lies in the bytes from `begin` to `end` of the piece: the old content, if they are its.
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
