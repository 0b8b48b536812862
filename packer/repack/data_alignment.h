// Which entries' data begin at a multiple of something once an archive is rewritten. One rule, for
// what writes archives and for what predicts how long they take to read.
#pragma once

#include <cstdint>

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

}  // namespace seekless
