#include "packer/prove/internal/run_on_pieces.h"

#include <algorithm>

#include "packer/simulate/simulated.h"

namespace seekless {

PiecesOnDrive::PiecesOnDrive(const DriveProfile& profile, const FilePlaces& places,
                             const PiecesOptions& options)
    : drive_(profile, 0, options.turn), places_(places), keeps_moves_(options.keeps_moves) {
  if (options.head_bytes) {
    drive_.read(*options.head_bytes, kPageBytes);
    drive_.reset_counters();
  } else {
    send_head_away(drive_);
  }
}

LoadCost PiecesOnDrive::cost() const {
  return cost_of(drive_);
}

void PiecesOnDrive::read(const FetchedRange& range) {
  const auto read_piece = [&](const Extent& piece, size_t) {
    if (keeps_moves_)
      moves_.push_back({drive_.counters().busy_ms / 1000, piece.place_bytes, piece.length_bytes});
    drive_.read(piece.place_bytes, piece.length_bytes);
  };
  for_each_piece(places_[range.file].extents, range.offset_bytes,
                 range.offset_bytes + range.length_bytes, read_piece);
}

RunOnPieces::RunOnPieces(const DriveProfile& profile, const ReadAhead& read_ahead,
                         const FilePlaces& places, const PiecesOptions& options)
    : pieces_(profile, places, options),
      cache_(pieces_.drive(), read_ahead),
      opened_(places.size()),
      finds_files_(options.folders != nullptr),
      finder_(finds_files_ ? *options.folders : no_folders_),
      places_(places) {}

Result<void> RunOnPieces::add(const Event& event) {
  if (places_[event.path].extents.empty()) return {};
  auto& opened = opened_[event.path];
  if (!opened) {
    if (finds_files_) finder_.find(places_[event.path], pieces_.drive());
    const uint64_t size = places_[event.path].size_bytes;
    SKL_TRY(const auto added, cache_.add_file(next_, size));
    begins_.push_back(next_);
    files_.push_back(event.path);
    next_ += whole_pages(size);
    opened.emplace(added, cache_.open(added));
  }
  CachedFile& file = opened->second;
  if (event.kind == EventKind::open) {
    file = cache_.open(opened->first);
    return {};
  }
  if (finds_files_)
    finder_.map(places_[event.path], event.offset_bytes, event.length_bytes, pieces_.drive());
  const auto misses = event.kind == EventKind::map
                          ? cache_.faults(file, event.offset_bytes, event.length_bytes)
                          : cache_.misses(file, event.offset_bytes, event.length_bytes);
  for (const DriveRead& miss : misses) read(miss);
  return {};
}

void RunOnPieces::read(const DriveRead& miss) {
  const auto after = std::ranges::upper_bound(begins_, miss.position_bytes);
  const auto which = static_cast<size_t>(after - begins_.begin()) - 1;
  fetched_.push_back({.file = files_[which],
                      .offset_bytes = miss.position_bytes - begins_[which],
                      .length_bytes = miss.length_bytes});
  pieces_.read(fetched_.back());
}

}  // namespace seekless
