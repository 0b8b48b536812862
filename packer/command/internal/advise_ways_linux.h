// Forecasts `play` and `place` for 'seekless advise', and for the advice of 'seekless play'.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "packer/command/internal/advise_ways.h"
#include "packer/host/extents.h"
#include "packer/place/place_plan.h"

namespace seekless {

// Returns the seconds of the ways that only Linux has, the mean of all loads.
class SecondsOnLinux {
 public:
  // `copies` is the folder that holds what `play` keeps. What `play` reads of that counts if it is
  // on the game's disk.
  SecondsOnLinux(const AdvisedLoads& loads, std::string copies)
      : loads_(loads), copies_(std::move(copies)) {}

  double played() const { return with_state(loads_.learned_s()); }
  // The copies lie in `room`.
  double laid_out(std::span<const Extent> room) const;
  // Returns what `place` does, as PlacePlanner::foresee() does for `folder`. `mean_s` gets the
  // seconds.
  Placing placed(const std::string& folder, double& mean_s) const;

 private:
  double with_state(double seconds) const;
  double laid_out_s(size_t load, std::span<const Extent> room) const;
  bool is_on_the_disk() const;

  const AdvisedLoads& loads_;
  std::string copies_;
};

// Returns why files can't be placed here; empty if they can.
std::string why_not_placed(const AdvisedLoads& loads);

}  // namespace seekless
