#include "packer/calibrate/seek_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace seekless {
namespace {

constexpr double kQuarter = 0.25;
constexpr size_t kBins = 10;        // of each part
constexpr size_t kFewestInBin = 8;  // for its lower edge to mean anything
constexpr size_t kFewestBins = 4;   // of each part
constexpr int kRounds = 5;          // a bin isn't a point: the curve's own slope is taken out

struct Bin {
  std::vector<Access> accesses;
  double x = 0;  // the mean of sqrt(share) below a quarter, of the share above
};

// Even steps of sqrt(share) below a quarter and of the share above, as the curve's parts are drawn.
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

// Where the bin's lower edge lies above the curve.
double rest_of(const Bin& bin, const SeekCurve& curve, double turn_ms) {
  std::vector<double> rests;
  rests.reserve(bin.accesses.size());
  for (const Access& access : bin.accesses)
    rests.push_back(access.ms - curve.at(access.stroke_share));
  return lower_end(std::move(rests), turn_ms);
}

Line refit(const std::vector<Bin>& bins, const Line& line, const SeekCurve& curve, double turn_ms) {
  std::vector<Point> points;
  points.reserve(bins.size());
  for (const Bin& bin : bins)
    points.push_back({.x = bin.x,
                      .y = line.at(bin.x) + rest_of(bin, curve, turn_ms),
                      .weight = static_cast<double>(bin.accesses.size())});
  return rising_line(points);
}

}  // namespace

double SeekCurve::at(double stroke_share) const {
  return stroke_share < kQuarter ? near.at(std::sqrt(stroke_share)) : far.at(stroke_share);
}

std::optional<SeekCurve> fit_seek_curve(std::span<const Access> accesses, double turn_ms) {
  const auto parts = sort_into_bins(accesses);
  if (parts[0].size() < kFewestBins || parts[1].size() < kFewestBins) return std::nullopt;
  SeekCurve curve;
  for (int round = 0; round < kRounds; ++round) {
    const Line near = refit(parts[0], curve.near, curve, turn_ms);
    const Line far = refit(parts[1], curve.far, curve, turn_ms);
    curve.near = near;
    curve.far = far;
  }
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
