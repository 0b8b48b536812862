// Names a part of a file that is fetched from the drive.
#pragma once

#include <cstdint>

namespace seekless {

struct FetchedRange {
  uint32_t file = 0;  // index in the places
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
};

}  // namespace seekless
