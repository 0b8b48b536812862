#include "packer/page/internal/place_scale.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "packer/page/internal/byte_ranges.h"

namespace seekless {
namespace {

constexpr size_t kMostBands = 6;  // few enough to leave each band room for its label
// A gap that takes a smaller share of the remaining scale isn't worth leaving out.
constexpr double kLeastGapShare = 0.15;
constexpr double kLeastBandShare = 0.13;  // share of the height with room for two lines of label
constexpr int kGapHeight = 14;

std::vector<ByteRange> touched(std::span<const HeadMove> before, std::span<const HeadMove> after) {
  std::vector<ByteRange> extents;
  extents.reserve(before.size() + after.size());
  for (const auto moves : {before, after})
    for (const HeadMove& move : moves) extents.push_back({move.position_bytes, end_of(move)});
  return merged(std::move(extents));
}

// Returns the index of the extent after each gap to leave out. Takes the longest gaps first, as
// long as a gap would take a notable part of the scale.
std::vector<size_t> gaps_to_leave_out(const std::vector<ByteRange>& extents) {
  std::vector<size_t> gaps;
  for (size_t i = 1; i < extents.size(); ++i) gaps.push_back(i);
  const auto length = [&](size_t gap) {
    return extents[gap].first_bytes - extents[gap - 1].end_bytes;
  };
  const auto middle =
      std::next(gaps.begin(), static_cast<std::ptrdiff_t>(std::min(gaps.size(), kMostBands - 1)));
  std::ranges::partial_sort(gaps, middle, [&](size_t a, size_t b) {
    return length(a) != length(b) ? length(a) > length(b) : a < b;
  });
  gaps.erase(middle, gaps.end());
  auto rest = static_cast<double>(extents.back().end_bytes - extents.front().first_bytes);
  size_t kept = 0;
  for (; kept < gaps.size(); ++kept) {
    const auto gap = static_cast<double>(length(gaps[kept]));
    if (gap <= kLeastGapShare * (rest - gap)) break;
    rest -= gap;
  }
  gaps.resize(kept);
  std::ranges::sort(gaps);
  return gaps;
}

std::vector<DiskBand> bands_of(const std::vector<ByteRange>& extents) {
  if (extents.empty()) return {DiskBand{}};
  std::vector<DiskBand> bands;
  size_t first = 0;
  for (const size_t gap : gaps_to_leave_out(extents)) {
    bands.push_back({extents[first].first_bytes, extents[gap - 1].end_bytes});
    first = gap;
  }
  bands.push_back({extents[first].first_bytes, extents.back().end_bytes});
  return bands;
}

}  // namespace

uint64_t end_of(const HeadMove& move) {
  const uint64_t room = std::numeric_limits<uint64_t>::max() - move.position_bytes;
  return move.position_bytes + std::min(room, move.length_bytes);
}

PlaceScale::PlaceScale(std::span<const HeadMove> before, std::span<const HeadMove> after,
                       int height)
    : bands_(bands_of(touched(before, after))) {
  const auto count = static_cast<int>(bands_.size());
  const double drawn = height - kGapHeight * (count - 1);
  const double least = drawn * kLeastBandShare;
  double total = 0;
  for (const DiskBand& band : bands_)
    total += static_cast<double>(band.end_bytes - band.first_bytes);
  double bottom = height;
  for (DiskBand& band : bands_) {
    const double span = static_cast<double>(band.end_bytes - band.first_bytes);
    const double share = total > 0 ? span / total : 1.0 / count;
    const double top = bottom - least - (drawn - least * count) * share;
    band.bottom = static_cast<int>(std::lround(bottom));
    band.top = static_cast<int>(std::lround(top));
    bottom = top - kGapHeight;
  }
}

int PlaceScale::y(uint64_t position_bytes) const {
  auto band = std::ranges::lower_bound(bands_, position_bytes, {}, &DiskBand::end_bytes);
  if (band == bands_.end()) --band;
  const uint64_t place = std::min(position_bytes, band->end_bytes);
  if (place <= band->first_bytes) return band->bottom;
  const double share = static_cast<double>(place - band->first_bytes) /
                       static_cast<double>(band->end_bytes - band->first_bytes);
  return band->bottom - static_cast<int>(std::lround(share * (band->bottom - band->top)));
}

}  // namespace seekless
