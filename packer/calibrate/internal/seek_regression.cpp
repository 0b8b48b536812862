#include "packer/calibrate/internal/seek_regression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "packer/calibrate/internal/fit.h"

namespace seekless {
namespace {

constexpr double kQuarterStroke = 0.25;
constexpr size_t kFewestSeeks = 30;
constexpr size_t kFewestNearSeeks = 10;
constexpr double kMostTurnsOff = 1.5;  // a read this far from the curve had another cause
// The curve of an ordinary drive, with the weight of two seeks. It decides at distances without
// seeks.
constexpr std::array kOrdinary = {1.0, 10.0, 10.0};
constexpr double kOrdinaryWeight = 2;

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

double times(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Solves by elimination; the matrix is positive definite, so no pivot is zero.
Vector solved(Matrix matrix, Vector right) {
  for (size_t i = 0; i < 3; ++i)
    for (size_t row = i + 1; row < 3; ++row) {
      const double factor = matrix[row][i] / matrix[i][i];
      for (size_t column = i; column < 3; ++column)
        matrix[row][column] -= factor * matrix[i][column];
      right[row] -= factor * right[i];
    }
  Vector found = {};
  for (size_t i = 3; i-- > 0;) {
    double rest = right[i];
    for (size_t column = i + 1; column < 3; ++column) rest -= matrix[i][column] * found[column];
    found[i] = rest / matrix[i][i];
  }
  return found;
}

}  // namespace

void SeekRegression::add(bool is_near, double stroke_share, double seek_ms) {
  if (is_near) {
    near_ms_.push_back(seek_ms);
    return;
  }
  seeks_.push_back({.basis = {1, std::sqrt(std::min(stroke_share, kQuarterStroke)),
                              std::max(0.0, stroke_share - kQuarterStroke)},
                    .ms = seek_ms});
}

std::array<double, 3> SeekRegression::solve_once(const Vector& before, double within_ms) const {
  Matrix matrix = {};
  Vector right = {};
  for (size_t i = 0; i < 3; ++i) {
    matrix[i][i] = kOrdinaryWeight * (i == 0 ? 1 : 0.1);
    right[i] = matrix[i][i] * kOrdinary[i];
  }
  for (const Seek& seek : seeks_) {
    const double expected_ms = times(seek.basis, before);
    const double ms = std::clamp(seek.ms, expected_ms - within_ms, expected_ms + within_ms);
    for (size_t i = 0; i < 3; ++i) {
      for (size_t j = 0; j < 3; ++j) matrix[i][j] += seek.basis[i] * seek.basis[j];
      right[i] += seek.basis[i] * ms;
    }
  }
  return solved(matrix, right);
}

void SeekRegression::solve(HardDisk& disk) const {
  if (near_ms_.size() >= kFewestNearSeeks)
    disk.near_seek_ms = std::clamp(std::accumulate(near_ms_.begin(), near_ms_.end(), 0.0) /
                                       static_cast<double>(near_ms_.size()),
                                   0.0, 100.0);
  if (seeks_.size() < kFewestSeeks) return;
  Vector curve = solve_once({}, std::numeric_limits<double>::infinity());
  constexpr int kSolvingRounds = 3;
  for (int round = 0; round < kSolvingRounds; ++round)
    curve = solve_once(curve, kMostTurnsOff * turn_ms_);
  disk.seek_t0_ms = std::clamp(curve[0], 0.01, 100.0);
  disk.seek_b_ms = std::clamp(curve[1], 0.0, 1000.0);
  const double quarter_ms = disk.seek_t0_ms + disk.seek_b_ms / 2;
  disk.seek_e_ms = std::clamp(curve[2], 0.0, std::min(1000.0, quarter_ms / kQuarterStroke));
  disk.seek_c_ms = quarter_ms - disk.seek_e_ms * kQuarterStroke;
}

double spread_of_turn(std::span<const double> values, double least, double most) {
  double best = most;
  double best_sum = -std::numeric_limits<double>::infinity();
  constexpr double kStep = 1.01;
  constexpr double kLate = 1e-3;  // density of values that nothing explains
  for (double width = least; width <= most; width *= kStep)
    for (const double blur_share : {0.02, 0.05, 0.1, 0.15}) {
      const double blur = width * blur_share;
      double sum = 0;
      for (const double value : values) {
        const double inside = 1 / (1 + std::exp(-(value + width / 2) / blur)) -
                              1 / (1 + std::exp(-(value - width / 2) / blur));
        sum += std::log(inside / width + kLate);
      }
      if (sum <= best_sum) continue;
      best_sum = sum;
      best = width;
    }
  return best;
}

}  // namespace seekless
