// Computes how much of the scenarios' data the shadow holds, and what laying out the rest could
// gain. Pure.
#pragma once

#include <cstdint>

#include "packer/foresee/learned.h"

namespace seekless {

struct LaidOut {
  uint64_t likely_bytes = 0;    // bytes that scenarios are likely to read
  uint64_t laid_out_bytes = 0;  // the part of these bytes in intact sections of the shadow

  // Returns true if so little is missing that copying everything again isn't worth it.
  bool is_nearly_all() const;
};
// These compute it for one scenario, and for all of them together.
LaidOut laid_out(const Learned& learned, uint32_t scenario);
LaidOut laid_out(const Learned& learned);

uint64_t shadow_bytes(const Learned& learned);

// Returns the seconds of disk time that a shadow would save in each load of the scenario that was
// run most often, from the jumps that its sweep makes now. Returns 0 if it is laid out, or has been
// run only once.
double saved_by_laying_out_s(const Learned& learned, uint64_t gap_bytes);

}  // namespace seekless
