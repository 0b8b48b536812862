#include "packer/plan/internal/aligned_order.h"

#include <algorithm>
#include <cmath>

#include "packer/plan/internal/asset_values.h"

namespace seekless {
namespace {

// The shift on one side of an asset is the median over this many reads. The number is larger than
// most races between threads, and shorter than any stretch worth keeping in one piece.
constexpr size_t kMedianReach = 9;
// With each pass, the result depends less on the run that the first reference came from.
constexpr int kTimes = 4;

// Returns the median of every `kMedianReach` consecutive values, or the median of all if there are
// fewer.
std::vector<double> sliding_medians(const std::vector<double>& values) {
  const size_t reach = std::min(kMedianReach, values.size());
  std::vector<double> window(values.begin(), values.begin() + static_cast<ptrdiff_t>(reach));
  std::ranges::sort(window);
  std::vector<double> medians = {window[reach / 2]};
  for (size_t i = reach; i < values.size(); ++i) {
    window.erase(std::ranges::lower_bound(window, values[i - reach]));
    window.insert(std::ranges::upper_bound(window, values[i]), values[i]);
    medians.push_back(window[reach / 2]);
  }
  return medians;
}

// Returns the places that the run suggests for its assets, on the reference's scale.
std::vector<double> aligned_places(std::span<const uint32_t> run,
                                   const std::vector<uint32_t>& places) {
  std::vector<double> shifts(run.size());
  for (size_t i = 0; i < run.size(); ++i)
    shifts[i] = static_cast<double>(places[run[i]]) - static_cast<double>(i);
  std::vector<double> aligned(run.size());
  const std::vector<double> medians = sliding_medians(shifts);
  for (size_t i = 0; i < run.size(); ++i) {
    const bool has_before = i >= kMedianReach;
    const bool has_after = i + 1 + kMedianReach <= run.size();
    const double after = has_after ? medians[i + 1] : medians.back();
    const double before = has_before ? medians[i - kMedianReach] : medians.front();
    // Where two stretches meet, the asset belongs to the one that it fits better.
    double shift = std::abs(before - shifts[i]) < std::abs(after - shifts[i]) ? before : after;
    if (std::abs(before - after) <= kMedianReach) shift = (before + after) / 2;
    aligned[i] = static_cast<double>(i) + shift;
  }
  return aligned;
}

// Collects the places that all runs suggest, on the reference's scale.
AssetValues aligned_values(const RunSet& set, Runs runs, const Order& reference) {
  const std::vector<uint32_t> places = places_of(reference);
  AssetValues values(set, runs);
  for (const uint32_t i : runs) {
    const std::span<const uint32_t> run = set.run(i);
    if (run.empty()) continue;
    const std::vector<double> aligned = aligned_places(run, places);
    for (size_t at = 0; at < run.size(); ++at) values.add(run[at], {aligned[at], set.weight(i)});
  }
  return values;
}

}  // namespace

Order aligned_order(const RunSet& set, Runs runs, const Order& reference) {
  Order order = reference;
  for (int time = 0; time < kTimes; ++time) {
    Order next = aligned_values(set, runs, order).sorted_by(weighted_midmean);
    if (next == order) break;
    order = std::move(next);
  }
  return order;
}

}  // namespace seekless
