#include "packer/drive/sweep.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace seekless {
namespace {

// Describes a piece within one extent.
struct PlacedRead {
  SweepRead read;
  uint64_t device;
  uint64_t place_bytes;
  size_t extent;  // extent of its file; kNoExtent if its place isn't known
};
constexpr size_t kNoExtent = SIZE_MAX;

bool has_places(const FileExtents& file) {
  return !file.extents.empty() || file.inline_bytes > 0;
}

// Cuts a read at extents, so that each piece has a place.
void place(const FileExtents& file, const SweepRead& wanted, std::vector<PlacedRead>& placed) {
  const uint64_t end = wanted.offset_bytes + wanted.length_bytes;
  if (!has_places(file)) {
    placed.push_back({wanted, UINT64_MAX, wanted.offset_bytes, kNoExtent});
    return;
  }
  for_each_piece(file.extents, wanted.offset_bytes, end, [&](const Extent& piece, size_t extent) {
    placed.push_back({{wanted.file, piece.offset_bytes, piece.length_bytes, piece.length_bytes},
                      file.device,
                      piece.place_bytes,
                      extent});
  });
}

// Extends the range to whole pages, up to the file's end; returns an empty read if the range begins
// after the end.
SweepRead whole_pages(const FileExtents& file, const WantedRange& range) {
  const uint64_t begin =
      std::min(range.offset_bytes, file.size_bytes) / kCachedPageBytes * kCachedPageBytes;
  const uint64_t left = file.size_bytes - std::min(range.offset_bytes, file.size_bytes);
  const uint64_t end_bytes =
      std::min(range.offset_bytes, file.size_bytes) + std::min(range.length_bytes, left);
  const uint64_t slack = (kCachedPageBytes - end_bytes % kCachedPageBytes) % kCachedPageBytes;
  const uint64_t end = end_bytes + std::min(slack, file.size_bytes - end_bytes);
  return {range.file, begin, left == 0 ? 0 : end - begin, 0};
}

// Joins ranges of one file that share a page once they are extended to whole pages.
void join_pages(std::vector<SweepRead>& reads, const SweepRead& next) {
  if (next.length_bytes == 0) return;
  if (!reads.empty()) {
    SweepRead& last = reads.back();
    const uint64_t last_end = last.offset_bytes + last.length_bytes;
    if (last.file == next.file && next.offset_bytes <= last_end) {
      const uint64_t end = std::max(last_end, next.offset_bytes + next.length_bytes);
      last.length_bytes = end - last.offset_bytes;
      return;
    }
  }
  reads.push_back(next);
}

void read_through(std::vector<SweepRead>& reads, const PlacedRead& next, const PlacedRead* previous,
                  uint64_t gap_bytes) {
  if (previous != nullptr && previous->read.file == next.read.file &&
      previous->extent == next.extent) {
    SweepRead& last = reads.back();
    const uint64_t last_end = last.offset_bytes + last.length_bytes;
    if (next.read.offset_bytes - last_end <= gap_bytes) {
      last.length_bytes = next.read.offset_bytes + next.read.length_bytes - last.offset_bytes;
      last.wanted_bytes += next.read.wanted_bytes;
      return;
    }
  }
  reads.push_back(next.read);
}

uint64_t end_of(const WantedRange& range) {
  return range.length_bytes > UINT64_MAX - range.offset_bytes
             ? UINT64_MAX
             : range.offset_bytes + range.length_bytes;
}

}  // namespace

void Wanted::add(std::string_view path, uint64_t offset_bytes, uint64_t length_bytes) {
  if (length_bytes == 0) return;
  const auto [known, is_new] =
      numbers_.try_emplace(std::string(path), static_cast<uint32_t>(paths_.size()));
  if (is_new) paths_.emplace_back(path);
  if (!ranges_.empty()) {  // a read that continues the last one is by far the most common
    WantedRange& last = ranges_.back();
    if (last.file == known->second && end_of(last) == offset_bytes) {
      last.length_bytes += std::min(length_bytes, UINT64_MAX - offset_bytes);
      return;
    }
  }
  ranges_.push_back({known->second, offset_bytes, length_bytes});
  if (ranges_.size() >= merge_at_) {
    merge();
    merge_at_ = std::max(merge_at_, ranges_.size() * 2);
  }
}

void Wanted::merge() {
  std::ranges::sort(ranges_, {}, [](const WantedRange& range) {
    return std::pair(range.file, range.offset_bytes);
  });
  size_t kept = 0;
  for (const WantedRange& range : ranges_) {
    if (kept > 0) {
      WantedRange& last = ranges_[kept - 1];
      if (last.file == range.file && range.offset_bytes <= end_of(last)) {
        last.length_bytes = std::max(end_of(last), end_of(range)) - last.offset_bytes;
        continue;
      }
    }
    ranges_[kept++] = range;
  }
  ranges_.resize(kept);
}

std::vector<WantedRange> Wanted::take_ranges() {
  merge();
  return std::exchange(ranges_, {});
}

std::vector<SweepRead> plan_sweep(std::span<const FileExtents> files,
                                  std::span<const WantedRange> ranges, uint64_t gap_bytes) {
  std::vector<SweepRead> wanted;
  for (const WantedRange& range : ranges) join_pages(wanted, whole_pages(files[range.file], range));
  std::vector<PlacedRead> placed;
  for (SweepRead& read : wanted) {
    read.wanted_bytes = read.length_bytes;
    place(files[read.file], read, placed);
  }
  std::ranges::sort(placed, {}, [](const PlacedRead& piece) {
    const bool is_known = piece.extent != kNoExtent;
    return std::tuple(piece.device, is_known ? piece.place_bytes : 0, piece.read.file,
                      piece.read.offset_bytes);
  });
  std::vector<SweepRead> reads;
  for (size_t i = 0; i < placed.size(); ++i)
    read_through(reads, placed[i], i == 0 ? nullptr : &placed[i - 1], gap_bytes);
  return reads;
}

}  // namespace seekless
