// Finds a seek curve by least squares: the curve at a distance is the mean response time there,
// less half a turn. It suits requests with random angles, and weights all of them equally.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "packer/drive/profile.h"

namespace seekless {

class SeekRegression {
 public:
  explicit SeekRegression(double turn_ms) : turn_ms_(turn_ms) {}

  // Adds one seek: the share of the stroke, and the time that it seems to have taken.
  void add(bool is_near, double stroke_share, double seek_ms);

  // Sets the disk's seek times. The two parts of the curve meet at a quarter of the stroke. Times
  // for which there are too few seeks stay what they are.
  void solve(HardDisk& disk) const;

 private:
  struct Seek {
    std::array<double, 3> basis;
    double ms;
  };

  std::array<double, 3> solve_once(const std::array<double, 3>& before, double within_ms) const;

  double turn_ms_;
  std::vector<Seek> seeks_;
  std::vector<double> near_ms_;
};

// Returns the width of the even distribution, blurred at its edges, that explains the values best.
double spread_of_turn(std::span<const double> values, double least, double most);

}  // namespace seekless
