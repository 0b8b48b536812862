#include "packer/entries/internal/read_time.h"

#include <algorithm>

#include "packer/drive/page_cache.h"

namespace seekless {
namespace {

// Archives may lie anywhere on the drive. They are assumed to lie in the middle, where the rate is
// about the mean.
uint64_t base_of(const Drive& drive) {
  return drive.capacity_bytes() / 2 / kPageBytes * kPageBytes;
}

// Engines read 2 to 16 KiB at a time. In sequential reads the read-ahead does the same with any of
// these sizes.
constexpr uint64_t kReadBytes = 16384;

}  // namespace

ReadTime::ReadTime(const DriveProfile& profile, const ArchiveReads& reads,
                   const DataAlignment& alignment)
    : reads_(reads),
      alignment_(alignment),
      drive_(profile),
      break_even_bytes_(drive_.break_even_gap_bytes(base_of(drive_))),
      away_ms_(drive_.average_access_ms()) {}

void ReadTime::lay(std::span<const uint32_t> order) {
  header_at_.resize(reads_.entries.size());
  data_at_.resize(reads_.entries.size());
  uint64_t at = 0;
  for (const uint32_t entry : order) {
    const ReadEntry& of = reads_.entries[entry];
    header_at_[entry] = at;
    at += of.header_bytes;
    const uint64_t align_bytes = alignment_.of(of.data_bytes, of.is_stored, true);
    data_at_[entry] = (at + align_bytes - 1) / align_bytes * align_bytes;
    at = data_at_[entry] + of.data_bytes;
  }
  size_bytes_ = at;
}

double ReadTime::fetch_ms(uint64_t position_bytes, uint64_t length_bytes) {
  double ms = drive_.sweep_ms(position_bytes, length_bytes);
  if (is_away_)
    ms += away_ms_;
  else if (position_bytes >= head_bytes_ && position_bytes - head_bytes_ <= break_even_bytes_)
    ms += drive_.sweep_ms(head_bytes_, position_bytes - head_bytes_);
  else
    ms += drive_.access_ms(head_bytes_, position_bytes);
  is_away_ = false;
  head_bytes_ = position_bytes + length_bytes;
  return ms;
}

// Ends early once the result is above `most_ms`.
double ReadTime::run_ms(std::span<const uint32_t> entries, bool keeps_open, double most_ms) {
  PageCache cache(drive_, ReadAhead());
  const auto file = cache.add_file(base_of(drive_), size_bytes_);
  if (!file) return 0;  // no drive holds even half of these bytes, so no order matters
  double ms = 0;
  CachedFile open_file = cache.open(*file);
  const auto read = [&](uint64_t offset, uint64_t length) {
    for (const DriveRead& miss : cache.misses(open_file, offset, length))
      ms += fetch_ms(miss.position_bytes, miss.length_bytes);
  };
  is_away_ = true;
  for (const uint32_t entry : entries) {
    if (ms > most_ms) break;
    if (entry == kElsewhere) {
      is_away_ = true;
      continue;
    }
    if (!keeps_open) open_file = cache.open(*file);
    read(header_at_[entry], reads_.entries[entry].header_bytes);
    const uint64_t end = data_at_[entry] + reads_.entries[entry].data_bytes;
    for (uint64_t at = data_at_[entry]; at < end; at += kReadBytes)
      read(at, std::min(kReadBytes, end - at));
  }
  return ms;
}

double ReadTime::weighted_seconds(std::span<const uint32_t> order, double most_s) {
  lay(order);
  const double most_ms = most_s * 1000;
  double ms = 0;
  for (const ArchiveRun& run : reads_.runs) {
    if (run.weight <= 0) continue;
    if (ms > most_ms) break;
    // Allows a little more, so that rounding never makes an early end look like a small sum.
    const double left_ms = (most_ms - ms) * 2 / run.weight * 1.000001 + 1;
    const double anew_ms = run_ms(run.entries, false, left_ms);
    ms += run.weight * (anew_ms + run_ms(run.entries, true, left_ms - anew_ms)) / 2;
  }
  return ms / 1000;
}

}  // namespace seekless
