// Decides which entries' data are aligned when an archive is rewritten. The writing of archives and
// the forecast of their reading time share this rule.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace seekless {

struct DataAlignment {
  uint32_t bytes = 4096;  // alignment, a power of two; 1 aligns nothing
  // Aligns every stored entry, even an empty one, as tools that check archives demand. Otherwise
  // only entries that recordings read are aligned, and short ones still lie close together, so that
  // one read brings many.
  bool is_for_all = false;

  // Returns the alignment of an entry's data.
  uint32_t of(uint64_t data_bytes, bool is_stored, bool is_read) const {
    const bool is_long = is_read && data_bytes >= bytes;
    return is_long || (is_for_all && is_stored) ? bytes : 1;
  }
};

// Finds the alignment that an archive's stored entries already have, and keeps it. A program that
// maps them into memory may rely on it, as Android does with its packages. Entries that begin at a
// page keep that alignment; all entries together may share a smaller one.
class KeptAlignment {
 public:
  // Adds a stored entry with content.
  void add(uint64_t data_offset_bytes) {
    places_ |= data_offset_bytes;
    if (data_offset_bytes % kPageBytes == 0) pages_ |= data_offset_bytes;
    is_any_ = true;
  }

  // Returns the alignment for the data of an entry that will be stored. `data_offset_bytes` is the
  // old offset of its data, if the entry was stored before.
  uint32_t of(std::optional<uint64_t> data_offset_bytes) const {
    if (!is_any_) return 1;
    if (data_offset_bytes && *data_offset_bytes % kPageBytes == 0)
      return pages_ % kLargePageBytes == 0 ? kLargePageBytes : kPageBytes;
    return uint32_t{1} << std::countr_zero(places_ | kMostCommonBytes);
  }

 private:
  static constexpr uint32_t kPageBytes = 4096;
  static constexpr uint32_t kLargePageBytes = 16384;  // Android's page size since version 15
  // This is a cache line, to which PyTorch aligns. More would scatter small entries.
  static constexpr uint64_t kMostCommonBytes = 64;

  uint64_t places_ = 0;  // all offsets combined by OR
  uint64_t pages_ = 0;   // the same for offsets that are multiples of a page
  bool is_any_ = false;
};

}  // namespace seekless
