#include "packer/repack/internal/fetched_ahead.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "packer/host/machine.h"

namespace seekless {
namespace {

constexpr uint64_t kLeastFetchedBytes = uint64_t{256} << 20;
constexpr uint64_t kMemoryPart = 4;
// Reading a longer piece takes so long that the seek to it counts for little.
constexpr uint64_t kMostPieceBytes = uint64_t{16} << 20;
// Linux reads this much ahead anyway.
constexpr uint64_t kGapBytes = uint64_t{128} << 10;
constexpr size_t kReadBytes = size_t{1} << 20;

uint64_t size_of(const ArchivePiece& piece) {
  return piece.end_bytes - piece.begin_bytes;
}

// The page cache is expected to keep this much for a moment.
uint64_t most_fetched_bytes() {
  return std::max(kLeastFetchedBytes, memory_bytes() / kMemoryPart);
}

// Returns false if the file can't be read.
bool fetch(const ByteSource& source, const ArchivePiece& piece) {
  std::vector<std::byte> buffer(std::min<uint64_t>(kReadBytes, size_of(piece)));
  for (uint64_t at = piece.begin_bytes; at < piece.end_bytes; at += buffer.size()) {
    const uint64_t count = std::min<uint64_t>(buffer.size(), piece.end_bytes - at);
    if (!source.read_at(at, std::span(buffer).first(count))) return false;
  }
  return true;
}

// Returns these pieces, without long ones, in the order in which they lie. Neighbours are joined.
std::vector<ArchivePiece> in_order_of_places(std::span<const ArchivePiece> pieces) {
  std::vector<ArchivePiece> sorted;
  std::ranges::copy_if(pieces, std::back_inserter(sorted), [](const ArchivePiece& piece) {
    return size_of(piece) > 0 && size_of(piece) <= kMostPieceBytes;
  });
  std::ranges::sort(sorted, {}, &ArchivePiece::begin_bytes);
  std::vector<ArchivePiece> joined;
  for (const ArchivePiece& piece : sorted)
    if (!joined.empty() && piece.begin_bytes <= joined.back().end_bytes + kGapBytes)
      joined.back().end_bytes = std::max(joined.back().end_bytes, piece.end_bytes);
    else
      joined.push_back(piece);
  return joined;
}

}  // namespace

bool fetch_whole(const ByteSource& source) {
  return source.size_bytes() <= most_fetched_bytes() && fetch(source, {0, source.size_bytes()});
}

FetchedPieces::FetchedPieces(const ByteSource& source, std::vector<ArchivePiece> pieces)
    : source_(source), pieces_(std::move(pieces)), most_bytes_(most_fetched_bytes()) {}

std::span<const ArchivePiece> FetchedPieces::next() const {
  size_t end = fetched_;
  for (uint64_t bytes = 0; end < pieces_.size(); ++end) {
    bytes += size_of(pieces_[end]);  // long ones take memory, too, once they are copied
    if (end > fetched_ && bytes > most_bytes_) break;
  }
  return std::span(pieces_).subspan(fetched_, end - fetched_);
}

void FetchedPieces::before(size_t number) {
  if (number < fetched_) return;
  const auto pieces = next();
  fetched_ += pieces.size();
  if (std::ranges::is_sorted(pieces, {}, &ArchivePiece::begin_bytes)) return;
  for (const ArchivePiece& piece : in_order_of_places(pieces))
    if (!fetch(source_, piece)) return;
}

}  // namespace seekless
