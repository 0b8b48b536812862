#include "packer/plan/internal/strays.h"

#include <algorithm>

namespace seekless {
namespace {

constexpr size_t kReadsAside = 4;  // number of reads looked at on each side
// Where two phases meet, half of the neighbours are far away; other threads' reads also interleave.
constexpr double kLeastShareNear = 3.0 / 8;
// Assets with up to this many reads show what to expect of an asset that was read once.
constexpr uint32_t kRareReads = 3;

// Holds how far before or after a read the next one may lie without a jump. Going back is free
// while the bytes are still in memory.
struct Slack {
  double ahead_places;
  double back_places;
};

Slack slack_of(const RunSet& set, Runs runs, const ReadCosts& costs, uint64_t near_bytes) {
  double bytes = 0;
  for (const uint32_t i : runs)
    for (const uint32_t asset : set.run(i)) bytes += static_cast<double>(set.sizes_bytes()[asset]);
  const double mean_bytes = std::max(1.0, bytes / static_cast<double>(reads_in(set, runs)));
  return {1 + static_cast<double>(costs.break_even_bytes()) / mean_bytes,
          1 + static_cast<double>(near_bytes) / 2 / mean_bytes};
}

bool is_in_place(std::span<const uint32_t> run, size_t at, const std::vector<uint32_t>& places,
                 const Slack& slack) {
  const size_t begin = at - std::min(at, kReadsAside);
  const size_t end = std::min(run.size(), at + kReadsAside + 1);
  int near = 0;
  for (size_t i = begin; i < end; ++i) {
    const double ahead = static_cast<double>(places[run[std::max(i, at)]]) -
                         static_cast<double>(places[run[std::min(i, at)]]);
    near += i != at && ahead <= slack.ahead_places && ahead >= -slack.back_places;
  }
  return near >= kLeastShareNear * static_cast<double>(end - begin - 1);
}

struct Tally {
  double all = 0;       // weight of the runs that read the asset
  double in_place = 0;  // weight of the runs that read it in its place
  uint32_t reads = 0;
};

std::vector<Tally> tally_reads(const RunSet& set, Runs runs, const Order& order,
                               const Slack& slack) {
  const std::vector<uint32_t> places = places_of(order);
  std::vector<Tally> tallies(set.asset_count());
  for (const uint32_t i : runs) {
    const std::span<const uint32_t> run = set.run(i);
    for (size_t at = 0; at < run.size(); ++at) {
      Tally& tally = tallies[run[at]];
      tally.all += set.weight(i);
      if (is_in_place(run, at, places, slack)) tally.in_place += set.weight(i);
      ++tally.reads;
    }
  }
  return tallies;
}

// Returns the share of runs that read a rare asset in its place. For each asset, one run's weight
// is left out, because that run probably gave the asset its place.
double share_of_rare(const std::vector<Tally>& tallies, double one) {
  double in_place = 0;
  double all = 0;
  for (const Tally& tally : tallies) {
    if (tally.reads < 2 || tally.reads > kRareReads) continue;
    in_place += std::max(0.0, tally.in_place - one);
    all += std::max(0.0, tally.all - one);
  }
  return all > 0 ? std::min(1.0, in_place / all) : 0.5;
}

}  // namespace

Order with_strays_last(const RunSet& set, Runs runs, const Order& order, const ReadCosts& costs,
                       uint64_t near_bytes) {
  const Slack slack = slack_of(set, runs, costs, near_bytes);
  const std::vector<Tally> tallies = tally_reads(set, runs, order, slack);
  double all = 0;
  for (const uint32_t i : runs) all += set.weight(i);
  const double one = all / static_cast<double>(runs.size());
  const double expected = share_of_rare(tallies, one);

  Order split = order;
  std::ranges::stable_partition(split, [&](uint32_t asset) {
    const Tally& tally = tallies[asset];
    if (tally.reads == 0) return false;  // stays last
    // Replaces the run that gave the asset its place by the expected share.
    const double share = (std::max(0.0, tally.in_place - one) + one * expected) /
                         (std::max(0.0, tally.all - one) + one);
    const double in_place = tally.all * std::min(1.0, share);
    return in_place * 2 * costs.jump_s >= (all - in_place) * costs.gap_s(set.sizes_bytes()[asset]);
  });
  return split;
}

}  // namespace seekless
