// Which entries' data begin at a multiple of something once an archive is rewritten. One rule, for
// what writes archives and for what predicts how long they take to read.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace seekless {

struct DataAlignment {
  uint32_t bytes = 4096;  // a power of two; 1 aligns none
  // Of every stored entry, even an empty one, as tools that check archives ask for. Else short ones
  // lie close together, so that one read brings many, and only those that recordings read are
  // aligned at all.
  bool is_for_all = false;

  // What the entry's data begin at a multiple of.
  uint32_t of(uint64_t data_bytes, bool is_stored, bool is_read) const {
    const bool is_long = is_read && data_bytes >= bytes;
    return is_long || (is_for_all && is_stored) ? bytes : 1;
  }
};

// The alignment that stored entries of an archive have already, and keep: whoever maps them into
// memory as they lie may count on it, as Android does with its packages. Those that begin at a page
// keep a page; all of them together may have a smaller multiple.
class KeptAlignment {
 public:
  // Of a stored entry with content.
  void add(uint64_t data_offset_bytes) {
    places_ |= data_offset_bytes;
    if (data_offset_bytes % kPageBytes == 0) pages_ |= data_offset_bytes;
    is_any_ = true;
  }

  // What the data of an entry that will be stored begin at a multiple of. `data_offset_bytes`:
  // where they lay, if it was stored before.
  uint32_t of(std::optional<uint64_t> data_offset_bytes) const {
    if (!is_any_) return 1;
    if (data_offset_bytes && *data_offset_bytes % kPageBytes == 0)
      return pages_ % kLargePageBytes == 0 ? kLargePageBytes : kPageBytes;
    return uint32_t{1} << std::countr_zero(places_ | kMostCommonBytes);
  }

 private:
  static constexpr uint32_t kPageBytes = 4096;
  static constexpr uint32_t kLargePageBytes = 16384;  // Android's since version 15
  // A line of the processor's cache, which PyTorch aligns to. More would tear small entries apart.
  static constexpr uint64_t kMostCommonBytes = 64;

  uint64_t places_ = 0;  // of all, one upon the other
  uint64_t pages_ = 0;   // of those that begin at one
  bool is_any_ = false;
};

}  // namespace seekless
