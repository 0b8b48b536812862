// Brings an old archive into the page cache before its pieces are copied in another order. It is
// read in the order in which it lies, so that a hard disk needn't seek to each piece. Copying
// reports errors of reading, so these functions don't.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

// Reads the whole file, and returns true, if it takes up at most a quarter of the memory.
bool fetch_whole(const ByteSource& source);

struct ArchivePiece {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;
};

// Fetches pieces of an archive that is too large to be fetched whole. At a time, these are as many
// as take up a quarter of the memory.
class FetchedPieces {
 public:
  // `pieces` are in the order of copying. `source` must outlive this.
  FetchedPieces(const ByteSource& source, std::vector<ArchivePiece> pieces);

  // Call it before each piece is copied, `number` being the piece's index.
  void before(size_t number);

 private:
  // Returns the next pieces to be fetched together.
  std::span<const ArchivePiece> next() const;

  const ByteSource& source_;
  const std::vector<ArchivePiece> pieces_;
  const uint64_t most_bytes_;
  size_t fetched_ = 0;  // that many pieces, from the front
};

}  // namespace seekless
