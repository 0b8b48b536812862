// Decides whether reads were meant for an asset, or only touched it. Programs read archives in
// pages or larger pieces, so a read of one entry covers parts of its neighbours. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "packer/content/content.h"
#include "runtime/pack_format.h"

namespace seekless {

// Describes a read of an archive, in bytes from the archive's start.
struct ArchiveRead {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
};

// A local header may be longer than the directory says, by a few extra fields. The data then begin
// that much later.
inline constexpr uint64_t kMostShiftBytes = 64;

inline uint64_t data_begin_bytes(const Place& place) {
  return place.header_offset_bytes + place.header_bytes;
}

// Returns true if the read covers one asset's header and data and nothing else. Always
// true for whole files, which aren't archives, and for empty assets, which have no data to miss.
inline bool stays_within(const Place& place, const ArchiveRead& read) {
  if (place.entry == kWholeSource || place.size_bytes == 0) return true;
  const uint64_t end = data_begin_bytes(place) + place.stored_bytes + kMostShiftBytes;
  return place.header_offset_bytes <= read.offset_bytes && read.offset_bytes <= end &&
         read.length_bytes <= end - read.offset_bytes;
}

// Returns true if the C library made this read only for a seek into the middle of a page. It then
// first reads the page up to that place, which holds the end of the entry before.
inline bool leads_to_next(const Place& place, const ArchiveRead& read) {
  const uint64_t begin = data_begin_bytes(place) + kMostShiftBytes;
  return place.entry != kWholeSource && read.offset_bytes % format::kPageBytes == 0 &&
         read.length_bytes < format::kPageBytes && read.offset_bytes > begin &&
         read.offset_bytes + read.length_bytes + kMostShiftBytes >=
             data_begin_bytes(place) + place.stored_bytes;
}

// Tracks which parts of an asset were read. The reads were meant for the asset if one of them
// stayed within it, or if all of it was read. A read that begins before it or ends past it, and
// leaves a part unread, is meant for its neighbours.
class ReadCoverage {
 public:
  bool is_meant() const { return is_meant_ || is_whole(); }
  bool is_whole() const { return front_bytes_ >= back_begin_bytes_; }
  void set_meant() { is_meant_ = true; }

  // `touched` is the part of `read` in the asset's data, or in an empty asset's header.
  void add(const Place& place, const ArchiveRead& read, const ArchiveRead& touched) {
    is_meant_ = is_meant_ || (stays_within(place, read) && !leads_to_next(place, read));
    const uint64_t begin = data_begin_bytes(place);
    const uint64_t end = touched.offset_bytes + touched.length_bytes;
    const uint64_t from = touched.offset_bytes - std::min(begin, touched.offset_bytes);
    if (from <= std::max(front_bytes_, kMostShiftBytes))
      front_bytes_ = std::max(front_bytes_, end - std::min(begin, end));
    if (end + kMostShiftBytes >= begin + place.stored_bytes)
      back_begin_bytes_ = std::min(back_begin_bytes_, from);
  }

 private:
  bool is_meant_ = false;
  uint64_t front_bytes_ = 0;                // everything in front of this is read
  uint64_t back_begin_bytes_ = UINT64_MAX;  // everything from here on is read
};

}  // namespace seekless
