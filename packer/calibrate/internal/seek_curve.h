// Fits a seek curve to single accesses. An access takes overhead + seek + a wait for the angle, of
// up to a turn. So the curve is the lower edge of the cloud of samples.
#pragma once

#include <optional>
#include <span>

#include "packer/calibrate/internal/fit.h"

namespace seekless {

struct Access {
  double stroke_share = 0;  // how far the head moved, 0 to 1
  double ms = 0;            // without the transfer of the bytes
};

// Gives overhead + seek as a function of x, the share of the stroke: near.at(sqrt(x)) below a
// quarter, far.at(x) from there on (Ruemmler & Wilkes, "An introduction to disk drive modeling",
// 1994).
struct SeekCurve {
  FittedLine near;
  FittedLine far;
  double rms_ms = 0;  // distance of the bins' lower edges from the curve
  double at(double stroke_share) const;
};

// Returns nothing if some distances have too few accesses.
std::optional<SeekCurve> fit_seek_curve(std::span<const Access> accesses, double turn_ms);

}  // namespace seekless
