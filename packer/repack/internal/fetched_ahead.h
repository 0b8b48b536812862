// Brings an old archive into the page cache before its pieces are copied in another order. It is
// read in the order in which it lies, so that a hard disk needn't seek to each piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// Returns how much the page cache is expected to keep for a moment: a quarter of the memory, or
// half of what is available if that is less, but at least 256 MiB.
uint64_t most_fetched_bytes();

// Reads the whole file, and returns true, if it has at most so many bytes.
Result<bool> fetch_whole(const ByteSource& source, uint64_t most_bytes = most_fetched_bytes());

struct ArchivePiece {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;
};

// Fetches pieces of an archive that is too large to be fetched whole, at a time as many as take up
// `most_bytes`.
class FetchedPieces {
 public:
  // `pieces` are in the order of copying. `source` must outlive this.
  FetchedPieces(const ByteSource& source, std::vector<ArchivePiece> pieces,
                uint64_t most_bytes = most_fetched_bytes());

  // Call it before each piece is copied, `number` being the piece's index.
  Result<void> before(size_t number);

 private:
  // Returns the next pieces to be fetched together.
  std::span<const ArchivePiece> next() const;

  const ByteSource& source_;
  const std::vector<ArchivePiece> pieces_;
  const uint64_t most_bytes_;
  size_t fetched_ = 0;  // that many pieces, from the front
};

}  // namespace seekless
