#include "packer/calibrate/internal/seek_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace seekless {
namespace {

constexpr double kQuarter = 0.25;
constexpr size_t kBins = 10;        // number for each part of the curve
constexpr size_t kFewestInBin = 8;  // fewer accesses make a bin's lower edge meaningless
constexpr size_t kFewestBins = 4;   // minimum for each part of the curve
// This is repeated, because a bin isn't a point and the curve's slope within it matters.
constexpr int kFitRounds = 5;

struct Bin {
  std::vector<Access> accesses;
  double x = 0;  // mean of sqrt(share) below a quarter, of the share above
};

// The search moves each part's line at these two x: sqrt(share) for the near part, share for the
// far one.
constexpr double kNearEnds[] = {0.1, 0.5};
constexpr double kFarEnds[] = {0.3, 0.9};

// Bins are even steps of sqrt(share) below a quarter and of the share above, like the parts of the
// curve.
std::array<std::vector<Bin>, 2> sort_into_bins(std::span<const Access> accesses) {
  std::array<std::vector<Bin>, 2> parts = {std::vector<Bin>(kBins), std::vector<Bin>(kBins)};
  for (const Access& access : accesses) {
    const bool is_far = access.stroke_share >= kQuarter;
    const double x = is_far ? access.stroke_share : std::sqrt(access.stroke_share);
    const double along = is_far ? (x - kQuarter) / (1 - kQuarter) : x / std::sqrt(kQuarter);
    const auto bin = std::min(kBins - 1, static_cast<size_t>(along * kBins));
    parts[is_far][bin].accesses.push_back(access);
    parts[is_far][bin].x += x;
  }
  for (auto& bins : parts) {
    std::erase_if(bins, [](const Bin& bin) { return bin.accesses.size() < kFewestInBin; });
    for (Bin& bin : bins) bin.x /= static_cast<double>(bin.accesses.size());
  }
  return parts;
}

// Returns how far the bin's lower edge lies above the curve.
double rest_of(const Bin& bin, const SeekCurve& curve, double turn_ms) {
  std::vector<double> rests;
  rests.reserve(bin.accesses.size());
  for (const Access& access : bin.accesses)
    rests.push_back(access.ms - curve.at(access.stroke_share));
  return lower_end(std::move(rests), turn_ms);
}

FittedLine refit(const std::vector<Bin>& bins, const FittedLine& line, const SeekCurve& curve,
                 double turn_ms) {
  std::vector<Point> points;
  points.reserve(bins.size());
  for (const Bin& bin : bins)
    points.push_back({.x = bin.x,
                      .y = line.at(bin.x) + rest_of(bin, curve, turn_ms),
                      .weight = static_cast<double>(bin.accesses.size())});
  return rising_line(points);
}

// Returns how well a line explains the accesses of its part. Each access should lie anywhere within
// a turn above the line, with edges blurred by `blur_ms`. Some come arbitrarily late, but almost
// none early.
double likelihood(std::span<const Access> part, const FittedLine& line, double turn_ms,
                  double blur_ms) {
  constexpr double kLate =
      0.01;  // share of a turn's density: a tenth of the samples over ten turns
  constexpr double kEarly = 1e-4;
  double sum = 0;
  for (const Access& access : part) {
    const double x =
        access.stroke_share < kQuarter ? std::sqrt(access.stroke_share) : access.stroke_share;
    const double above_ms = access.ms - line.at(x);
    const double inside = 1 / (1 + std::exp(-above_ms / blur_ms)) -
                          1 / (1 + std::exp((turn_ms - above_ms) / blur_ms));
    sum += std::log(inside + (above_ms > 0 ? kLate : kEarly));
  }
  return sum;
}

FittedLine line_between(double from_x, double from_ms, double to_x, double to_ms) {
  const double slope = (to_ms - from_ms) / (to_x - from_x);
  return {.at_zero = from_ms - slope * from_x, .slope = slope};
}

// Finds the most likely line near a first guess by moving its two ends. Every access counts, at
// both edges of its turn, while the bins use only the lowest accesses. The blur shrinks step by
// step, so that the search doesn't stop at a local maximum.
FittedLine most_likely(std::span<const Access> part, FittedLine line, double turn_ms, double from_x,
                       double to_x) {
  constexpr double kBlurs[] = {0.1, 0.03, 0.01};  // turns
  constexpr double kSteps[] = {1, 0.5, 0.25, 0.125};
  constexpr int kMostMoves = 40;  // the search needs far fewer moves in each direction
  for (const double blur : kBlurs) {
    const double blur_ms = blur * turn_ms;
    double best = likelihood(part, line, turn_ms, blur_ms);
    for (const double step : kSteps) {
      bool has_moved = true;
      for (int move = 0; move < kMostMoves && has_moved; ++move) {
        has_moved = false;
        const FittedLine begun = line;
        for (const int from_way : {-1, 0, 1})
          for (const int to_way : {-1, 0, 1}) {
            const FittedLine tried =
                line_between(from_x, begun.at(from_x) + from_way * step * blur_ms, to_x,
                             begun.at(to_x) + to_way * step * blur_ms);
            if (tried.slope < 0) continue;
            const double found = likelihood(part, tried, turn_ms, blur_ms);
            if (found <= best) continue;
            best = found;
            line = tried;
            has_moved = true;
          }
      }
    }
  }
  return line;
}

}  // namespace

double SeekCurve::at(double stroke_share) const {
  return stroke_share < kQuarter ? near.at(std::sqrt(stroke_share)) : far.at(stroke_share);
}

std::optional<SeekCurve> fit_seek_curve(std::span<const Access> accesses, double turn_ms) {
  const auto parts = sort_into_bins(accesses);
  if (parts[0].size() < kFewestBins || parts[1].size() < kFewestBins) return std::nullopt;
  SeekCurve curve;
  for (int round = 0; round < kFitRounds; ++round) {
    const FittedLine near = refit(parts[0], curve.near, curve, turn_ms);
    const FittedLine far = refit(parts[1], curve.far, curve, turn_ms);
    curve.near = near;
    curve.far = far;
  }
  std::vector<Access> near;
  std::vector<Access> far;
  for (const Access& access : accesses)
    (access.stroke_share < kQuarter ? near : far).push_back(access);
  curve.near = most_likely(near, curve.near, turn_ms, kNearEnds[0], kNearEnds[1]);
  curve.far = most_likely(far, curve.far, turn_ms, kFarEnds[0], kFarEnds[1]);
  double squares = 0;
  double weight = 0;
  for (const auto& bins : parts)
    for (const Bin& bin : bins) {
      const double rest = rest_of(bin, curve, turn_ms);
      squares += rest * rest * static_cast<double>(bin.accesses.size());
      weight += static_cast<double>(bin.accesses.size());
    }
  curve.rms_ms = std::sqrt(squares / weight);
  return curve;
}

}  // namespace seekless
