#include "packer/plan/internal/atom_order.h"

#include <algorithm>
#include <numeric>

#include "packer/plan/internal/atom_moves.h"
#include "packer/plan/internal/linked_order.h"

namespace seekless {
namespace {

using Order = std::vector<uint32_t>;

// Up to this many atoms, all distances are kept and all pairs are tried; that takes a tenth of a
// second.
constexpr size_t kMostInMatrix = 500;
// Up to this many atoms, all distances are looked at once; that takes some tenths of a second.
constexpr size_t kMostLinked = 5000;
constexpr int kPasses = 8;

// Computes distances between atoms: the summed weights of the scenarios that read only one of the
// two from the common pack.
class Distances {
 public:
  Distances(const SharedContent& content, const Arrangement& arrangement)
      : weights_(content.weights) {
    first_.push_back(0);
    for (uint32_t atom = 0; atom < content.atom_count(); ++atom) {
      for (uint32_t slot = content.first_slot[atom]; slot < content.first_slot[atom + 1]; ++slot)
        if (arrangement.is_own[slot] == 0) readers_.push_back(content.readers[slot]);
      first_.push_back(static_cast<uint32_t>(readers_.size()));
    }
    if (content.atom_count() > kMostInMatrix) return;
    side_ = content.atom_count() + 1;
    matrix_.resize(side_ * side_);
    for (uint32_t a = 0; a < outside(); ++a) {
      matrix_[a * side_ + outside()] = matrix_[outside() * side_ + a] = to_end(a);
      for (uint32_t b = 0; b < a; ++b)
        matrix_[a * side_ + b] = matrix_[b * side_ + a] = compute(a, b);
    }
  }

  std::span<const uint32_t> readers(uint32_t atom) const {
    return std::span(readers_).subspan(first_[atom], first_[atom + 1] - first_[atom]);
  }
  bool is_small() const { return side_ > 0; }
  // The following are only for small contents. This number stands for both ends of an order.
  uint32_t outside() const { return static_cast<uint32_t>(side_ - 1); }
  // Returns the distances from the atom to all others, and to the ends of an order.
  const double* from(uint32_t atom) const { return matrix_.data() + atom * side_; }

  double between(uint32_t a, uint32_t b) const {
    return side_ > 0 ? matrix_[a * side_ + b] : compute(a, b);
  }
  // Returns the distance from the atom to an end of the order. No scenario reads beyond that end,
  // so all of the atom's readers count.
  double to_end(uint32_t atom) const {
    double sum = 0;
    for (const uint32_t reader : readers(atom)) sum += weights_[reader];
    return sum;
  }

 private:
  double compute(uint32_t a, uint32_t b) const {
    const auto of_a = readers(a);
    const auto of_b = readers(b);
    double sum = 0;
    size_t i = 0;
    size_t j = 0;
    while (i < of_a.size() || j < of_b.size()) {
      if (j == of_b.size() || (i < of_a.size() && of_a[i] < of_b[j]))
        sum += weights_[of_a[i++]];
      else if (i == of_a.size() || of_b[j] < of_a[i])
        sum += weights_[of_b[j++]];
      else
        ++i, ++j;
    }
    return sum;
  }

  const std::vector<double>& weights_;
  std::vector<uint32_t> first_;
  std::vector<uint32_t> readers_;
  size_t side_ = 0;
  std::vector<double> matrix_;
};

// Ranks scenarios by the shared bytes they read, most first. The order of atoms should switch least
// often between read and unread for the first ones.
std::vector<uint32_t> scenario_ranks(const SharedContent& content) {
  std::vector<double> shared(content.scenario_count());
  for (uint32_t atom = 0; atom < content.atom_count(); ++atom)
    for (const uint32_t reader : content.readers_of(atom))
      shared[reader] += content.weights[reader] * static_cast<double>(content.atom_bytes[atom]);
  std::vector<uint32_t> by_bytes(content.scenario_count());
  std::iota(by_bytes.begin(), by_bytes.end(), 0U);
  std::ranges::stable_sort(by_bytes, [&](uint32_t a, uint32_t b) { return shared[a] > shared[b]; });
  std::vector<uint32_t> ranks(by_bytes.size());
  for (uint32_t rank = 0; rank < by_bytes.size(); ++rank) ranks[by_bytes[rank]] = rank;
  return ranks;
}

// Sorts atoms so that few readers begin or end from one atom to the next: lexicographically by the
// ranks of their readers, with every other branch reversed, as in a reflected Gray code.
Order reflected_order(const Order& atoms, const Distances& distances,
                      const std::vector<uint32_t>& ranks) {
  std::vector<std::vector<uint32_t>> keys(atoms.empty() ? 0 : std::ranges::max(atoms) + 1);
  for (const uint32_t atom : atoms) {
    for (const uint32_t reader : distances.readers(atom)) keys[atom].push_back(ranks[reader]);
    std::ranges::sort(keys[atom]);
  }
  Order order = atoms;
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    const auto [at_a, at_b] = std::ranges::mismatch(keys[a], keys[b]);
    if (at_a == keys[a].end() && at_b == keys[b].end()) return a < b;
    // The branch in which the two differ is reversed.
    const bool turned = (at_a - keys[a].begin()) % 2 == 1;
    if (at_a == keys[a].end()) return turned;
    if (at_b == keys[b].end()) return !turned;
    return turned ? *at_a > *at_b : *at_a < *at_b;
  });
  return order;
}

// Sorts atoms by their number of readers, most first.
Order crowd_order(const Order& atoms, const Distances& distances) {
  Order order = atoms;
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    const auto of_a = distances.readers(a);
    const auto of_b = distances.readers(b);
    if (of_a.size() != of_b.size()) return of_a.size() > of_b.size();
    return std::ranges::lexicographical_compare(of_a, of_b);
  });
  return order;
}

// Starts with the most read atom and always continues with the nearest.
Order nearest_order(const Order& atoms, const Distances& distances) {
  Order left = crowd_order(atoms, distances);
  for (size_t done = 1; done < left.size(); ++done) {
    const auto nearest = std::min_element(
        left.begin() + static_cast<std::ptrdiff_t>(done), left.end(), [&](uint32_t a, uint32_t b) {
          return distances.between(left[done - 1], a) < distances.between(left[done - 1], b);
        });
    std::rotate(left.begin() + static_cast<std::ptrdiff_t>(done), nearest, nearest + 1);
  }
  return left;
}

// Links the atoms that cost least side by side. A scenario that reads only one of two neighbours
// skips the other, by reading through it or by a jump.
Order least_skipped_order(const SharedContent& content, const Order& atoms,
                          const Distances& distances) {
  const ReadCosts costs = content.costs_with_sharing();
  std::vector<double> skip_s;
  std::vector<double> read_by;
  std::vector<std::vector<uint32_t>> read_of(content.scenario_count());
  for (uint32_t i = 0; i < atoms.size(); ++i) {
    skip_s.push_back(costs.gap_s(content.laid_bytes(atoms[i])));
    read_by.push_back(distances.to_end(atoms[i]));
    for (const uint32_t reader : distances.readers(atoms[i])) read_of[reader].push_back(i);
  }
  std::vector<double> by_both(atoms.size());
  const auto distances_from = [&](uint32_t from, std::span<double> to) {
    std::ranges::fill(by_both, 0.0);
    for (const uint32_t reader : distances.readers(atoms[from]))
      for (const uint32_t i : read_of[reader]) by_both[i] += content.weights[reader];
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = (read_by[from] - by_both[i]) * skip_s[i] + (read_by[i] - by_both[i]) * skip_s[from];
  };
  Order order;
  for (const uint32_t i : linked_order(static_cast<uint32_t>(atoms.size()), distances_from))
    order.push_back(atoms[i]);
  return order;
}

// Improves a tour whose pairwise distances are all in memory.
class SmallTour {
 public:
  SmallTour(const Distances& distances, const Order& order) : distances_(distances) {
    row_.push_back(distances.outside());
    row_.insert(row_.end(), order.begin(), order.end());
    row_.push_back(distances.outside());
    links_.resize(row_.size() - 1);
    measure_links(0, links_.size());
  }

  Order improve() {
    for (int pass = 0; pass < kPasses; ++pass) {
      const bool turned = turn_round();
      if (!move_stretches() && !turned) break;
    }
    return {row_.begin() + 1, row_.end() - 1};
  }

 private:
  static constexpr double kLeastGain = 1e-9;

  double edge(size_t a, size_t b) const { return distances_.from(row_[a])[row_[b]]; }

  // Updates the links from the places [from, to) to the next ones.
  void measure_links(size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) links_[i] = edge(i, i + 1);
  }

  bool turn_round() {
    bool improved = false;
    for (size_t i = 1; i + 1 < row_.size(); ++i)
      for (size_t j = i + 1; j + 1 < row_.size(); ++j) {
        j = next_turn(i, j);
        if (j + 1 == row_.size()) break;
        std::reverse(row_.begin() + static_cast<std::ptrdiff_t>(i),
                     row_.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        measure_links(i - 1, j + 1);
        improved = true;
      }
    return improved;
  }

  // Returns the first place from `j` on so that reversing the row from `i` to there helps; the last
  // place if there is none.
  size_t next_turn(size_t i, size_t j) const {
    const double* from_before = distances_.from(row_[i - 1]);
    const double* from_first = distances_.from(row_[i]);
    const double freed = links_[i - 1];
    for (; j + 1 < row_.size(); ++j)
      if (freed + links_[j] - from_before[row_[j]] - from_first[row_[j + 1]] > kLeastGain) break;
    return j;
  }

  bool move_stretches() {
    bool improved = false;
    for (size_t length = 1; length <= 3; ++length)
      for (size_t from = 1; from + length < row_.size(); ++from)
        improved = move_stretch(from, length) || improved;
    return improved;
  }

  bool move_stretch(size_t from, size_t length) {
    const size_t last = from + length - 1;
    const double freed = links_[from - 1] + links_[last] - edge(from - 1, last + 1);
    const double* from_first = distances_.from(row_[from]);
    const double* from_last = distances_.from(row_[last]);
    double best = kLeastGain;
    size_t best_to = 0;
    bool best_turned = false;
    // The stretch would move in front of the atom at `to`.
    for (size_t to = 1; to < row_.size(); ++to) {
      if (to == from) to = std::min(last + 2, row_.size());
      if (to == row_.size()) break;
      const double won = freed + links_[to - 1];
      const double straight = won - from_first[row_[to - 1]] - from_last[row_[to]];
      const double turned = won - from_last[row_[to - 1]] - from_first[row_[to]];
      if (std::max(straight, turned) <= best) continue;
      best = std::max(straight, turned);
      best_to = to;
      best_turned = turned > straight;
    }
    if (best_to == 0) return false;
    move(from, last + 1, best_to, best_turned);
    return true;
  }

  // Moves the places [from, end) in front of `to`.
  void move(size_t from, size_t end, size_t to, bool turned) {
    const auto at = [&](size_t place) { return row_.begin() + static_cast<std::ptrdiff_t>(place); };
    if (turned) std::reverse(at(from), at(end));
    if (to < from)
      std::rotate(at(to), at(from), at(end));
    else
      std::rotate(at(from), at(end), at(to));
    measure_links(std::min(from, to) - 1, std::max(end, to));
  }

  const Distances& distances_;
  Order row_;                  // the order, with an end at both ends
  std::vector<double> links_;  // indexed by place in the row: the distance to the next place
};

}  // namespace

void order_atoms(const SharedContent& content, uint64_t effort, Arrangement& arrangement) {
  const Distances distances(content, arrangement);
  Order atoms;
  Order unread;  // atoms that nobody reads from the common pack; their order doesn't matter
  for (const uint32_t atom : arrangement.order)
    (distances.readers(atom).empty() ? unread : atoms).push_back(atom);
  if (atoms.size() < 2) return;
  std::ranges::sort(atoms);
  std::vector<Order> orders;
  orders.push_back(reflected_order(atoms, distances, scenario_ranks(content)));
  orders.push_back(crowd_order(atoms, distances));
  if (distances.is_small()) orders.push_back(nearest_order(atoms, distances));
  if (atoms.size() <= kMostLinked) orders.push_back(least_skipped_order(content, atoms, distances));
  for (size_t i = 0, constructed = orders.size(); distances.is_small() && i < constructed; ++i)
    orders.push_back(SmallTour(distances, orders[i]).improve());

  ArrangementCost cost(content);
  Arrangement best = arrangement;
  double best_s = cost.weighted_seconds(best);
  Arrangement trial = arrangement;
  for (Order& order : orders) {
    trial.order = std::move(order);
    trial.order.insert(trial.order.end(), unread.begin(), unread.end());
    const double trial_s = cost.weighted_seconds(trial);
    if (trial_s >= best_s) continue;
    best_s = trial_s;
    best.order = trial.order;
  }
  arrangement.order = std::move(best.order);
  move_atoms(content, effort, arrangement);
}

}  // namespace seekless
