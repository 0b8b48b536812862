// The vertical scale of the head picture. Loads touch a few places of a drive with hundreds of
// gigabytes between them, so the scale has a band for each such place, and leaves out the rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

struct DiskBand {
  uint64_t first_bytes = 0;
  uint64_t end_bytes = 0;
  int top = 0;  // of the picture; lower places are further down
  int bottom = 0;
};

class PlaceScale {
 public:
  // A scale of `height` for all that the moves touch; one band, of nothing, for no moves.
  PlaceScale(std::span<const HeadMove> before, std::span<const HeadMove> after, int height);

  // For a place within a band, or at its end; others get the nearest band's edge.
  int y(uint64_t position_bytes) const;

  // From the lowest place up; at most six.
  const std::vector<DiskBand>& bands() const { return bands_; }

 private:
  std::vector<DiskBand> bands_;
};

// Where a read ends; saturates.
uint64_t end_of(const HeadMove& move);

}  // namespace seekless
