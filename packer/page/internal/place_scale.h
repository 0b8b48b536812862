// Makes the vertical scale of the head picture. Loads touch a few places of a drive with hundreds
// of gigabytes between them, so the scale has a band for each such place, and leaves out the rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

struct DiskBand {
  uint64_t first_bytes = 0;
  uint64_t end_bytes = 0;
  int top = 0;  // y in the picture; lower places are further down
  int bottom = 0;
};

class PlaceScale {
 public:
  // Makes a scale of `height` for everything that the moves touch. Without moves there is one empty
  // band.
  PlaceScale(std::span<const HeadMove> before, std::span<const HeadMove> after, int height);

  // Returns the y of a place within a band, or at its end. Any other place gets the edge of the
  // nearest band.
  int y(uint64_t position_bytes) const;

  // Returns at most six bands, the lowest place first.
  const std::vector<DiskBand>& bands() const { return bands_; }

 private:
  std::vector<DiskBand> bands_;
};

// Returns where a read ends; saturates.
uint64_t end_of(const HeadMove& move);

}  // namespace seekless
