// How many bytes of packs are neither content nor tables. Pure.
#pragma once

#include <cstdint>

#include "packer/layout/layout.h"

namespace seekless {

// Share of the packs' bytes that padding may take beside what is dead before a new layout is due.
inline constexpr double kMostPaddingShare = 0.06;

struct Padding {
  uint64_t file_bytes = 0;  // of all packs
  uint64_t padding_bytes = 0;

  double share() const {
    return file_bytes == 0 ? 0
                           : static_cast<double>(padding_bytes) / static_cast<double>(file_bytes);
  }
};
// Of a layout whose packs have places. Reserved room for tables counts as padding as far as the
// tables may not need it.
Padding padding_of(const Layout& layout);

}  // namespace seekless
