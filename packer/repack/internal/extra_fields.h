// Decides which extra fields of a zip entry stay when the entry moves. Takes the bytes of the old
// archive; returns those for the new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/zip_directory.h"

namespace seekless {

inline constexpr uint16_t kZip64Field = runtime::kZip64Field;
// The field of Android's zipalign: the alignment in 16 bits, then zeros.
inline constexpr uint16_t kAlignmentField = 0xD935;
inline constexpr size_t kLeastAlignmentFieldBytes = 6;
inline constexpr size_t kMaxExtraBytes = UINT16_MAX;

struct KeptExtra {
  std::string bytes;
  // True if nothing is malformed, so that readers would find a field put after these.
  bool is_well_formed = true;
};

// Keeps all fields except those for zip64 and alignment, which depend on the entry's old place. A
// malformed rest stays at the end, unless it is all zero: then it is padding.
KeptExtra kept_extra(std::string_view extra);

// Returns a field of `total_bytes`, which must be at least kLeastAlignmentFieldBytes.
std::string alignment_field(size_t total_bytes, uint32_t align_bytes);

}  // namespace seekless
