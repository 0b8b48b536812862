#include "packer/plan/internal/atom_moves.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "packer/host/interrupt.h"

namespace seekless {
namespace {

constexpr double kLeastWon_s = 1e-9;
constexpr double kInfinite_s = std::numeric_limits<double>::infinity();
// Finding a place among a scenario's needs counts as this many slots looked at.
constexpr uint64_t kSearch = 8;
// Each atom is tried on both sides of at most this many others.
constexpr size_t kTried = 24;
// After a move, this many atoms on either side are tried again.
constexpr uint32_t kBeside = 3;
// Candidates for an atom's neighbours come from comparing about this many atoms at most. Readers
// that need the fewest atoms come first.
constexpr uint64_t kMostCompared = 20'000;

class AtomMover {
 public:
  AtomMover(const SharedContent& content, uint64_t effort, const Arrangement& arrangement)
      : content_(content),
        costs_(content.costs_with_sharing()),
        left_(effort),
        begin_bytes_(content.atom_count()),
        rank_(content.atom_count()),
        needs_(content.scenario_count()),
        is_reader_(content.scenario_count()),
        is_due_(content.atom_count()),
        shared_(content.atom_count()) {
    first_.push_back(0);
    for (uint32_t atom = 0; atom < content.atom_count(); ++atom) {
      for (uint32_t slot = content.first_slot[atom]; slot < content.first_slot[atom + 1]; ++slot)
        if (arrangement.is_own[slot] == 0) readers_.push_back(content.readers[slot]);
      first_.push_back(static_cast<uint32_t>(readers_.size()));
    }
    for (const uint32_t atom : arrangement.order)
      (readers_of(atom).empty() ? unread_ : order_).push_back(atom);
    place(0, order_.size());
    for (const uint32_t atom : order_)
      for (const uint32_t reader : readers_of(atom)) needs_[reader].push_back(atom);
  }

  std::vector<uint32_t> run() {
    // Repeats until a full pass moves nothing, because moves may matter to atoms far away.
    for (bool has_moved = true; std::exchange(has_moved, false);) {
      std::ranges::fill(is_due_, 1);
      while (try_due()) has_moved = true;
    }
    order_.insert(order_.end(), unread_.begin(), unread_.end());
    return std::move(order_);
  }

 private:
  // Returns true if an atom has moved.
  bool try_due() {
    bool has_moved = false;
    const std::vector<uint32_t> atoms = order_;
    for (const uint32_t atom : atoms) {
      if (left_ == 0) return false;
      stop_if_interrupted();
      if (std::exchange(is_due_[atom], 0) != 0) has_moved = move(atom) || has_moved;
    }
    return has_moved;
  }

  // Describes how a scenario reads past a place of the order, in bytes, with the moved atom taken
  // out.
  struct Detour {
    uint64_t before = 0;   // bytes from the scenario's previous need to the place
    uint64_t after = 0;    // bytes from the place to the scenario's next need
    bool is_last = false;  // the scenario has no next need
  };

  std::span<const uint32_t> readers_of(uint32_t atom) const {
    return std::span(readers_).subspan(first_[atom], first_[atom + 1] - first_[atom]);
  }

  // Updates the ranks and offsets of the atoms at the places [from, to).
  void place(size_t from, size_t to) {
    uint64_t begin = from == 0 ? 0 : end_bytes(order_[from - 1]);
    for (size_t i = from; i < to; ++i) {
      rank_[order_[i]] = static_cast<uint32_t>(i);
      begin_bytes_[order_[i]] = begin;
      begin += content_.laid_bytes(order_[i]);
    }
  }

  uint64_t end_bytes(uint32_t atom) const { return begin_bytes_[atom] + content_.laid_bytes(atom); }

  // Returns the detour past the place in front of the atom at `rank`, with `moved` taken out.
  Detour way(uint32_t scenario, uint32_t rank, uint32_t moved) const {
    const std::vector<uint32_t>& needs = needs_[scenario];
    const uint64_t moved_bytes = content_.laid_bytes(moved);
    const auto without = [&](uint64_t bytes, bool is_behind) {
      return is_behind ? bytes - moved_bytes : bytes;
    };
    const uint32_t moved_rank = rank_[moved];
    const uint64_t at =
        without(rank < order_.size() ? begin_bytes_[order_[rank]] : end_bytes(order_.back()),
                rank > moved_rank);
    auto next =
        std::ranges::lower_bound(needs, rank, {}, [&](uint32_t atom) { return rank_[atom]; });
    auto last = next;
    if (next != needs.end() && *next == moved) ++next;
    if (last != needs.begin() && *std::prev(last) == moved) --last;
    Detour way = {.before = at, .after = 0, .is_last = next == needs.end()};
    if (last != needs.begin()) {
      const uint32_t atom = *std::prev(last);
      way.before -= without(end_bytes(atom), rank_[atom] > moved_rank);
    }
    if (!way.is_last) way.after = without(begin_bytes_[*next], rank_[*next] > moved_rank) - at;
    return way;
  }

  double gap_s(uint64_t bytes) const { return costs_.gap_s(bytes); }

  // Returns by how many seconds the loads of the atom's readers grow with the atom at this place.
  double read_s(uint32_t atom, uint32_t rank) const {
    double sum = 0;
    for (const uint32_t reader : readers_of(atom)) {
      const Detour of = way(reader, rank, atom);
      double s = gap_s(of.before);
      if (!of.is_last) s += gap_s(of.after) - gap_s(of.before + of.after);
      sum += content_.weights[reader] * s;
    }
    return sum;
  }

  // Adds the seconds that all other scenarios take to skip the atom; stops once the sum reaches
  // `most_s`.
  double add_skip_s(double sum, uint32_t atom, uint32_t rank, double most_s) {
    const uint64_t bytes = content_.laid_bytes(atom);
    uint32_t scenario = 0;
    for (; scenario < content_.scenario_count() && sum < most_s; ++scenario) {
      if (is_reader_[scenario] != 0 || needs_[scenario].empty()) continue;
      const Detour of = way(scenario, rank, atom);
      if (of.is_last) continue;
      const uint64_t gap_bytes = of.before + of.after;
      sum += content_.weights[scenario] * (gap_s(gap_bytes + bytes) - gap_s(gap_bytes));
    }
    left_ -= std::min<uint64_t>(left_, kSearch * scenario);
    return sum;
  }

  // Returns the atoms that share most readers with `atom`, after subtracting the cost for readers
  // that would skip it beside them.
  const std::vector<uint32_t>& find_alike(uint32_t atom) {
    alike_.clear();
    by_needs_.assign(readers_of(atom).begin(), readers_of(atom).end());
    std::ranges::sort(by_needs_, {}, [&](uint32_t reader) { return needs_[reader].size(); });
    uint64_t compared = 0;
    for (const uint32_t reader : by_needs_) {
      for (const uint32_t other : needs_[reader]) {
        if (shared_[other] == 0) alike_.push_back(other);
        shared_[other] += content_.weights[reader];
      }
      compared += needs_[reader].size();
      if (compared > kMostCompared) break;
    }
    left_ -= std::min(left_, compared);
    const double jump_s = costs_.jump_s;
    const double skip_s = gap_s(content_.laid_bytes(atom));
    ranked_.clear();
    for (const uint32_t other : alike_) {
      const double shared = std::exchange(shared_[other], 0.0);
      if (other == atom) continue;
      const auto others = static_cast<double>(readers_of(other).size());
      ranked_.push_back({shared * (jump_s + skip_s) - others * skip_s, other});
    }
    const size_t tried = std::min(kTried, ranked_.size());
    std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(tried),
                      ranked_.end(), [](const auto& a, const auto& b) {
                        return a.first != b.first ? a.first > b.first : a.second < b.second;
                      });
    alike_.clear();
    for (size_t i = 0; i < tried; ++i) alike_.push_back(ranked_[i].second);
    return alike_;
  }

  // Returns the cheapest rank to insert the atom in front of, or its own rank if no other is
  // cheaper.
  uint32_t best_rank(uint32_t atom) {
    const uint32_t here = rank_[atom];
    double best_s = add_skip_s(read_s(atom, here), atom, here, kInfinite_s) - kLeastWon_s;
    uint32_t best = here;
    tried_.clear();
    const auto try_at = [&](uint32_t rank) {
      if (rank == here || rank == here + 1) return;
      const double s = read_s(atom, rank);
      if (s < best_s) tried_.emplace_back(s, rank);
    };
    try_at(0);
    try_at(static_cast<uint32_t>(order_.size()));
    for (const uint32_t other : find_alike(atom)) {
      try_at(rank_[other]);
      try_at(rank_[other] + 1);
    }
    left_ -= std::min<uint64_t>(left_, 2 * kTried * kSearch * readers_of(atom).size());
    std::ranges::sort(tried_);
    for (const auto& [least_s, rank] : tried_) {
      if (least_s >= best_s) break;
      const double s = add_skip_s(least_s, atom, rank, best_s);
      if (s >= best_s) continue;
      best_s = s;
      best = rank;
    }
    return best;
  }

  // Returns false if the atom is already at its best place.
  bool move(uint32_t atom) {
    const uint32_t here = rank_[atom];
    for (const uint32_t reader : readers_of(atom)) is_reader_[reader] = 1;
    const uint32_t best = best_rank(atom);
    for (const uint32_t reader : readers_of(atom)) is_reader_[reader] = 0;
    if (best == here) return false;
    go(atom, here, best);
    for (const uint32_t rank : {here, best}) {
      const uint32_t first = rank - std::min(rank, kBeside);
      for (size_t i = first; i < std::min<size_t>(rank + kBeside + 1, order_.size()); ++i)
        is_due_[order_[i]] = 1;
    }
    return true;
  }

  // Moves the atom from `from` to in front of the atom at `to`.
  void go(uint32_t atom, uint32_t from, uint32_t to) {
    for (const uint32_t reader : readers_of(atom)) {
      std::vector<uint32_t>& needs = needs_[reader];
      const auto at = [&](uint32_t rank) {
        return std::ranges::lower_bound(needs, rank, {}, [&](uint32_t of) { return rank_[of]; });
      };
      const auto old = at(from);
      const auto fresh = at(to);
      if (fresh > old)
        std::rotate(old, old + 1, fresh);
      else
        std::rotate(fresh, old, old + 1);
    }
    const auto begin = order_.begin();
    if (to > from)
      std::rotate(begin + from, begin + from + 1, begin + to);
    else
      std::rotate(begin + to, begin + from, begin + from + 1);
    place(std::min(from, to), std::max(from + 1, to));
    left_ -= std::min<uint64_t>(left_, from > to ? from - to : to - from);
  }

  const SharedContent& content_;
  const ReadCosts costs_;
  uint64_t left_;
  std::vector<uint32_t> first_;    // indexed by atom: its first entry in readers_
  std::vector<uint32_t> readers_;  // who reads each atom from the common pack
  std::vector<uint32_t> order_;    // atoms that somebody reads from the common pack
  std::vector<uint32_t> unread_;
  std::vector<uint64_t> begin_bytes_;  // indexed by atom: its offset in the common pack
  std::vector<uint32_t> rank_;         // indexed by atom: its place in the order
  // Indexed by scenario: the atoms it needs, in the order they lie.
  std::vector<std::vector<uint32_t>> needs_;
  std::vector<uint8_t> is_reader_;  // indexed by scenario: true for readers of the atom being moved
  // Indexed by atom: true if something beside it changed since it was tried.
  std::vector<uint8_t> is_due_;
  // Indexed by atom: summed weights of the readers it shares with the current atom.
  std::vector<double> shared_;
  std::vector<uint32_t> by_needs_;
  std::vector<std::pair<double, uint32_t>> ranked_;
  std::vector<uint32_t> alike_;
  // pairs of a rank and its readers' seconds there
  std::vector<std::pair<double, uint32_t>> tried_;
};

}  // namespace

void move_atoms(const SharedContent& content, uint64_t effort, Arrangement& arrangement) {
  arrangement.order = AtomMover(content, effort, arrangement).run();
}

}  // namespace seekless
