#include "packer/plan/internal/repair_polish.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "packer/host/interrupt.h"

namespace seekless {
namespace {

constexpr uint32_t kNever = UINT32_MAX;
// This many runs show which jumps are a habit and which are chance.
constexpr uint32_t kPolishedRuns = 16;
// A move changes the gaps of kNearPlaces places on each side of a cut. For each read of them,
// kTriedReads reads on each side are priced. Twice and three times as many found no better orders
// and took twice the time.
constexpr uint32_t kNearPlaces = 1;
constexpr uint32_t kTriedReads = 3;
constexpr uint32_t kLengths[] = {1, 2, 3, 4, 6, 8};
// A move must gain this many standard deviations of its sum over the runs. At 0.5 the second round
// already fitted the noise of ten runs; at 2.5 little moved (on generated runs of several kinds).
constexpr double kLeastDeviations = 1.5;
constexpr double kLeastGainS = 1e-9;

}  // namespace

RepairPolish::RepairPolish(const RunSet& set, Runs runs, DemandCost& cost, uint32_t most_moves)
    : set_(set), cost_(cost), runs_(spread_of(runs, kPolishedRuns)), most_moves_(most_moves) {
  times_.assign(runs_.size() * set.asset_count(), kNever);
  std::vector<bool> is_read(set.asset_count());
  for (size_t i = 0; i < runs_.size(); ++i) {
    const std::span<const uint32_t> run = set.run(runs_[i]);
    for (uint32_t time = 0; time < run.size(); ++time)
      times_[i * set.asset_count() + run[time]] = time;
    for (const uint32_t asset : run) is_read[asset] = true;
  }
  read_end_ = static_cast<uint32_t>(std::ranges::count(is_read, true));
}

bool RepairPolish::improve(Order& order) {
  lay(order);
  moves_tried_ = 0;
  const double before_s = mean_run_s(set_, runs_, order, cost_);
  Order better = order;
  bool is_better = false;
  for (const Jump& jump : find_jumps()) {
    if (moves_tried_ >= most_moves_) break;
    is_better |= try_repair(better, jump);
  }
  // The runs may have lost more farther away than they gained nearby.
  if (!is_better || mean_run_s(set_, runs_, better, cost_) >= before_s - kLeastGainS) return false;
  order = std::move(better);
  return true;
}

void RepairPolish::lay(const Order& order) {
  cost_.lay(set_.sizes_bytes(), order);
  places_ = places_of(order);
  begin_bytes_.resize(order.size() + 1);
  for (uint32_t place = 0; place < order.size(); ++place)
    begin_bytes_[place + 1] = begin_bytes_[place] + cost_.laid_bytes(order[place]);
}

// Returns the jumps, most common first.
std::vector<RepairPolish::Jump> RepairPolish::find_jumps() {
  std::vector<Jump> jumps;
  for (const uint32_t run : runs_) {
    cost_.begin();
    uint32_t last = kNever;
    for (const uint32_t asset : set_.run(run)) {
      const Drive::Counters before = cost_.counters();
      cost_.read_asset(asset, cost_.begin_bytes(asset));
      if (cost_.counters().seeks != before.seeks && last != kNever)
        jumps.push_back({last, asset, set_.weight(run)});
      if (cost_.counters().reads != before.reads) last = asset;
    }
  }
  const auto key = [](const Jump& jump) { return std::pair(jump.from, jump.to); };
  std::ranges::stable_sort(jumps, {}, key);
  std::vector<Jump> merged;
  for (const Jump& jump : jumps)
    if (!merged.empty() && key(merged.back()) == key(jump))
      merged.back().weight += jump.weight;
    else
      merged.push_back(jump);
  std::ranges::stable_sort(merged, std::greater<>(), &Jump::weight);
  return merged;
}

// A jump leads from one asset to another. Tries to move the second (with some that follow it) right
// behind the first, or the first (with some that precede it) right in front of the second.
bool RepairPolish::try_repair(Order& order, const Jump& jump) {
  stop_if_interrupted();
  const uint32_t from = places_[jump.from];
  const uint32_t to = places_[jump.to];
  Move best = {};
  double best_s = kLeastGainS;
  // Tries longer stretches as long as the gain doesn't fall.
  const auto consider_lengths = [&](auto move_of) {
    double last_s = -std::numeric_limits<double>::infinity();
    for (const uint32_t length : kLengths) {
      const Move move = move_of(length);
      if (move.begin >= move.middle || move.middle >= move.end) return;
      ++moves_tried_;
      const double s = gain_s(order, move);
      if (s > best_s) {
        best_s = s;
        best = move;
      }
      if (s < last_s) return;
      last_s = s;
    }
  };
  if (to > from) {
    consider_lengths([&](uint32_t n) { return Move{from + 1, to, std::min(to + n, read_end_)}; });
    consider_lengths([&](uint32_t n) {
      return Move{from + 1 - std::min(n, from + 1), from + 1, to};
    });
  } else {
    consider_lengths([&](uint32_t n) { return Move{to, std::min(to + n, from), from + 1}; });
    consider_lengths([&](uint32_t n) {
      return Move{to, from + 1 - std::min(n, from - to), from + 1};
    });
  }
  if (best_s <= kLeastGainS) return false;
  apply(order, best);
  return true;
}

double RepairPolish::gain_s(const Order& order, const Move& move) {
  gather_places(move);
  for (uint32_t& place : touched_) place = order[place];
  const uint64_t left_bytes = begin_bytes_[move.middle] - begin_bytes_[move.begin];
  const uint64_t right_bytes = begin_bytes_[move.end] - begin_bytes_[move.middle];
  const auto stay = [&](uint32_t asset) { return begin_bytes_[places_[asset]]; };
  const auto moved = [&](uint32_t asset) {
    const uint32_t place = places_[asset];
    if (place < move.begin || place >= move.end) return begin_bytes_[place];
    return place < move.middle ? begin_bytes_[place] + right_bytes
                               : begin_bytes_[place] - left_bytes;
  };
  double gain_s = 0;
  double squares = 0;
  for (size_t i = 0; i < runs_.size(); ++i) {
    gather_windows(i);
    double run_gain_s = 0;
    for (const OrderWindow& window : windows_) {
      const auto reads = set_.run(runs_[i]).subspan(window.begin, window.end - window.begin);
      run_gain_s +=
          set_.weight(runs_[i]) * (cost_.ways_s(reads, stay) - cost_.ways_s(reads, moved));
    }
    gain_s += run_gain_s;
    squares += run_gain_s * run_gain_s;
  }
  return gain_s - kLeastDeviations * std::sqrt(squares);
}

void RepairPolish::gather_places(const Move& move) {
  touched_.clear();
  const auto add = [&](uint32_t begin, uint32_t end) {
    for (uint32_t place = begin; place < end; ++place) touched_.push_back(place);
  };
  for (const uint32_t cut : {move.begin, move.middle, move.end})
    add(cut - std::min(cut, kNearPlaces),
        std::min(cut + kNearPlaces, static_cast<uint32_t>(places_.size())));
  constexpr uint32_t kLongest = std::ranges::max(kLengths);
  if (move.middle - move.begin <= kLongest) add(move.begin, move.middle);
  if (move.end - move.middle <= kLongest) add(move.middle, move.end);
}

// Collects the reads around those of `touched_`, which now holds assets, in windows that don't
// overlap.
void RepairPolish::gather_windows(size_t run) {
  near_times_.clear();
  for (const uint32_t asset : touched_)
    if (const uint32_t time = time_of(run, asset); time != kNever) near_times_.push_back(time);
  std::ranges::sort(near_times_);
  windows_.clear();
  const auto reads = static_cast<uint32_t>(set_.run(runs_[run]).size());
  for (const uint32_t time : near_times_) {
    const uint32_t begin = time - std::min(time, kTriedReads);
    const uint32_t end = std::min(time + kTriedReads + 1, reads);
    if (!windows_.empty() && begin <= windows_.back().end)
      windows_.back().end = end;
    else
      windows_.push_back({begin, end});
  }
}

void RepairPolish::apply(Order& order, const Move& move) {
  const auto at = [&](uint32_t place) { return order.begin() + static_cast<ptrdiff_t>(place); };
  std::rotate(at(move.begin), at(move.middle), at(move.end));
  for (uint32_t place = move.begin; place < move.end; ++place) {
    places_[order[place]] = place;
    begin_bytes_[place + 1] = begin_bytes_[place] + cost_.laid_bytes(order[place]);
  }
}

}  // namespace seekless
