#include "packer/layout/aligned_order.h"

#include <algorithm>
#include <cmath>

#include "packer/layout/asset_values.h"

namespace seekless {
namespace {

// How many reads on one side tell the shift there: above the reach of most races between threads,
// below the length of any stretch worth keeping in one piece.
constexpr size_t kReach = 9;
// From the third reference on, orders of generated runs changed by swaps of neighbours alone.
constexpr int kTimes = 4;

// The medians of every `kReach` values in a row; of all if there are fewer.
std::vector<double> sliding_medians(const std::vector<double>& values) {
  const size_t reach = std::min(kReach, values.size());
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

// Where the run would put each of its assets, on the reference's scale.
std::vector<double> aligned_places(std::span<const uint32_t> run,
                                   const std::vector<uint32_t>& places) {
  std::vector<double> shifts(run.size());
  for (size_t i = 0; i < run.size(); ++i)
    shifts[i] = static_cast<double>(places[run[i]]) - static_cast<double>(i);
  std::vector<double> aligned(run.size());
  const std::vector<double> medians = sliding_medians(shifts);
  for (size_t i = 0; i < run.size(); ++i) {
    const bool has_before = i >= kReach;
    const bool has_behind = i + 1 + kReach <= run.size();
    const double behind = has_behind ? medians[i + 1] : medians.back();
    const double before = has_before ? medians[i - kReach] : medians.front();
    // Where two stretches meet, the asset belongs to the one that it fits.
    double shift = std::abs(before - shifts[i]) < std::abs(behind - shifts[i]) ? before : behind;
    if (std::abs(before - behind) <= kReach) shift = (before + behind) / 2;
    aligned[i] = static_cast<double>(i) + shift;
  }
  return aligned;
}

// Of all runs, on the reference's scale.
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

// How far from its place an asset may be read without a jump.
struct Slack {
  double early_places;
  double late_places;  // what was read through stays in the cache for a while
};

Slack slack_of(const RunSet& set, Runs runs, const ReadCosts& costs, uint64_t cache_bytes) {
  double bytes = 0;
  for (const uint32_t i : runs)
    for (const uint32_t asset : set.run(i)) bytes += static_cast<double>(set.sizes_bytes()[asset]);
  const double mean_bytes = std::max(1.0, bytes / static_cast<double>(reads_in(set, runs)));
  return {1 + static_cast<double>(costs.break_even_bytes()) / mean_bytes,
          1 + static_cast<double>(cache_bytes) / 2 / mean_bytes};
}

struct Agreement {
  double weight = 0;  // of the values near where the others put the asset
  double all = 0;
};

// Each value is compared with the others' centre, for with itself every run agrees; where there are
// many, leaving one out changes nothing.
Agreement agreement_of(std::span<WeightedValue> values, const Slack& slack) {
  constexpr size_t kMany = 8;
  std::vector<WeightedValue> others;
  double place = weighted_midmean(values);
  Agreement agreement;
  for (size_t i = 0; i < values.size(); ++i) {
    agreement.all += values[i].weight;
    if (values.size() < kMany) {
      if (values.size() == 1) break;
      others.assign(values.begin(), values.end());
      others.erase(others.begin() + static_cast<ptrdiff_t>(i));
      place = weighted_midmean(others);
    }
    const double late_places = values[i].value - place;
    if (late_places >= -slack.early_places && late_places <= slack.late_places)
      agreement.weight += values[i].weight;
  }
  return agreement;
}

// What share of the reads of rarely read assets is where the other few reads of it are: what is to
// be expected of an asset that was read once.
double agreement_of_rare(std::span<const Agreement> agreements, const std::vector<bool>& is_rare) {
  Agreement sum;
  for (size_t asset = 0; asset < agreements.size(); ++asset) {
    if (!is_rare[asset]) continue;
    sum.weight += agreements[asset].weight;
    sum.all += agreements[asset].all;
  }
  return sum.all > 0 ? sum.weight / sum.all : 0.5;
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

Order with_strays_last(const RunSet& set, Runs runs, const Order& order, const ReadCosts& costs,
                       uint64_t cache_bytes) {
  AssetValues values = aligned_values(set, runs, order);
  const Slack slack = slack_of(set, runs, costs, cache_bytes);
  std::vector<Agreement> agreements(set.asset_count());
  std::vector<bool> is_rare(set.asset_count());
  for (uint32_t asset = 0; asset < set.asset_count(); ++asset) {
    const std::span<WeightedValue> of = values.of(asset);
    if (of.empty()) continue;
    agreements[asset] = agreement_of(of, slack);
    is_rare[asset] = of.size() == 2 || of.size() == 3;
  }
  const double expected = agreement_of_rare(agreements, is_rare);
  double all = 0;
  for (const uint32_t i : runs) all += set.weight(i);
  const double one = all / static_cast<double>(runs.size());

  Order split = order;
  std::ranges::stable_partition(split, [&](uint32_t asset) {
    const Agreement& found = agreements[asset];
    if (found.all == 0) return false;  // stays behind those: they were last
    // What is expected counts as much as one run.
    const double agreeing = found.all * (found.weight + one * expected) / (found.all + one);
    return agreeing * 2 * costs.jump_s >= (all - agreeing) * costs.gap_s(set.sizes_bytes()[asset]);
  });
  return split;
}

}  // namespace seekless
