// The extra fields of a zip entry: which of them stay when the entry moves. From the bytes of one
// archive to those of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/zip_directory.h"

namespace seekless {

inline constexpr uint16_t kZip64Field = runtime::kZip64Field;
// As Android's zipalign writes it: the alignment in 16 bits, then zeros.
inline constexpr uint16_t kAlignmentField = 0xD935;
inline constexpr size_t kLeastAlignmentFieldBytes = 6;
inline constexpr size_t kMaxExtraBytes = UINT16_MAX;

struct KeptExtra {
  std::string bytes;
  // Whether a field put after them would be found: nothing malformed is among them.
  bool is_well_formed = true;
};

// All but the fields for zip64 and alignment, which say where an entry lay. What is malformed stays
// as it is at the end, unless it is all zero: that is padding.
KeptExtra kept_extra(std::string_view extra);

// A field that takes `total_bytes`, of which kLeastAlignmentFieldBytes are needed.
std::string alignment_field(size_t total_bytes, uint32_t align_bytes);

}  // namespace seekless
