// What the shadow holds of what scenarios read, and what laying out could win. Pure.
#pragma once

#include <cstdint>

#include "packer/foresee/learned.h"

namespace seekless {

struct LaidOut {
  uint64_t likely_bytes = 0;    // that scenarios are likely to read
  uint64_t laid_out_bytes = 0;  // of them, in sections of the shadow that are still good

  // So little is missing that copying all anew isn't worth it.
  bool is_nearly_all() const;
};
// Of one scenario, and of all of them, one after the other.
LaidOut laid_out(const Learned& learned, uint32_t scenario);
LaidOut laid_out(const Learned& learned);

uint64_t shadow_bytes(const Learned& learned);

// Of the scenario that was run most often: seconds of the disk that a shadow would save in each
// load, by the jumps that its sweep makes now. 0 if it is laid out, or has been run once only.
double saved_by_laying_out_s(const Learned& learned, uint64_t gap_bytes);

}  // namespace seekless
