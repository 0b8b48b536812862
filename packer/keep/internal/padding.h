// Counts the bytes of packs that are neither content nor tables. Pure.
#pragma once

#include <cstdint>

#include "packer/layout/layout.h"

namespace seekless {

// A new layout is due if padding takes more than this share of the packs' bytes beside dead
// content.
inline constexpr double kMostPaddingShare = 0.06;

struct Padding {
  uint64_t file_bytes = 0;  // size of all packs
  uint64_t padding_bytes = 0;

  double share() const {
    return file_bytes == 0 ? 0
                           : static_cast<double>(padding_bytes) / static_cast<double>(file_bytes);
  }
};
// Returns the padding of a layout whose packs have places. Space that is reserved for tables counts
// as padding if the tables may not need it.
Padding padding_of(const Layout& layout);

}  // namespace seekless
