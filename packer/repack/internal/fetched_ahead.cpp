#include "packer/repack/internal/fetched_ahead.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "packer/content/flat_archive.h"
#include "packer/host/machine.h"

namespace seekless {
namespace {

constexpr uint64_t kLeastFetchedBytes = uint64_t{256} << 20;
constexpr uint64_t kMemoryPart = 4;
constexpr uint64_t kAvailablePart = 2;
// Reading a longer piece takes so long that the seek to it counts for little.
constexpr uint64_t kMostPieceBytes = uint64_t{16} << 20;
// Linux reads this much ahead anyway.
constexpr uint64_t kGapBytes = uint64_t{128} << 10;

uint64_t size_of(const ArchivePiece& piece) {
  return piece.end_bytes - piece.begin_bytes;
}

Result<void> fetch(const ByteSource& source, const ArchivePiece& piece) {
  return visit_bytes(source, piece.begin_bytes, piece.end_bytes, [](std::span<const std::byte>) {});
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

uint64_t most_fetched_bytes() {
  const uint64_t most =
      std::min(memory_bytes() / kMemoryPart, available_memory_bytes() / kAvailablePart);
  return std::max(kLeastFetchedBytes, most);
}

Result<bool> fetch_whole(const ByteSource& source, uint64_t most_bytes) {
  if (source.size_bytes() > most_bytes) return false;
  SKL_TRY_DO(fetch(source, {0, source.size_bytes()}));
  return true;
}

FetchedPieces::FetchedPieces(const ByteSource& source, std::vector<ArchivePiece> pieces,
                             uint64_t most_bytes)
    : source_(source), pieces_(std::move(pieces)), most_bytes_(most_bytes) {}

std::span<const ArchivePiece> FetchedPieces::next() const {
  size_t end = fetched_;
  for (uint64_t bytes = 0; end < pieces_.size(); ++end) {
    bytes += size_of(pieces_[end]);  // long ones take memory, too, once they are copied
    if (end > fetched_ && bytes > most_bytes_) break;
  }
  return std::span(pieces_).subspan(fetched_, end - fetched_);
}

Result<void> FetchedPieces::before(size_t number) {
  if (number < fetched_) return {};
  const auto pieces = next();
  fetched_ += pieces.size();
  if (std::ranges::is_sorted(pieces, {}, &ArchivePiece::begin_bytes)) return {};
  for (const ArchivePiece& piece : in_order_of_places(pieces)) SKL_TRY_DO(fetch(source_, piece));
  return {};
}

}  // namespace seekless
