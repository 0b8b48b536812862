#include "packer/plan/internal/atom_moves.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "packer/base/each_once.h"
#include "packer/host/interrupt.h"

namespace seekless {
namespace {

constexpr double kLeastWon_s = 1e-9;
// Finding a place among a scenario's needs counts as this many slots looked at.
constexpr uint64_t kSearch = 8;
// The atoms around a place are looked at one by one, up to this many slots for each scenario. If
// there are more within a jump of the place, each scenario's needs are searched instead.
constexpr uint64_t kSlotsBesideSearch = 8;
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
        reads_(content.atom_count()),
        needs_(content.scenario_count()),
        is_reader_(content.scenario_count()),
        is_due_(content.atom_count()),
        shared_(content.atom_count()),
        alike_(content.atom_count()),
        far_bytes_(costs_.far_bytes()),
        detours_(content.scenario_count(), {far_bytes_, far_bytes_}),
        last_near_(content.scenario_count()),
        next_near_(content.scenario_count()) {
    for (uint32_t atom = 0; atom < content.atom_count(); ++atom) {
      const auto first = static_cast<uint32_t>(readers_.size());
      for (uint32_t slot = content.first_slot[atom]; slot < content.first_slot[atom + 1]; ++slot)
        if (arrangement.is_own[slot] == 0) readers_.push_back(content.readers[slot]);
      const auto readers = static_cast<uint32_t>(readers_.size()) - first;
      reads_[atom] = {content.laid_bytes(atom), first, readers};
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
  // out. At far_bytes_ and beyond, the head jumps.
  struct Detour {
    uint64_t before;  // bytes from the scenario's previous need, or the pack's front, to the place
    uint64_t after;   // bytes from the place to the scenario's next need
  };

  // Holds what every look at an atom asks for, side by side in memory.
  struct AtomReads {
    uint64_t laid_bytes;
    uint32_t first;    // its first entry in readers_
    uint32_t readers;  // the number of its entries there
  };

  // Lists scenarios, each at most once. Has room for one more than all, so that a scenario can be
  // written before it is known whether it counts; a branch would cost more.
  struct Listed {
    std::vector<uint32_t> items;
    size_t count = 0;

    explicit Listed(size_t most) : items(most + 1) {}
    std::span<const uint32_t> all() const { return std::span(items).first(count); }
    void add_if(bool counts, uint32_t scenario) {
      items[count] = scenario;
      count += counts ? 1 : 0;
    }
  };

  std::span<const uint32_t> readers_of(uint32_t atom) const {
    return std::span(readers_).subspan(reads_[atom].first, reads_[atom].readers);
  }
  uint64_t laid_bytes(uint32_t atom) const { return reads_[atom].laid_bytes; }

  // Updates the ranks and offsets of the atoms at the places [from, to).
  void place(size_t from, size_t to) {
    uint64_t begin = from == 0 ? 0 : end_bytes(order_[from - 1]);
    for (size_t i = from; i < to; ++i) {
      rank_[order_[i]] = static_cast<uint32_t>(i);
      begin_bytes_[order_[i]] = begin;
      begin += laid_bytes(order_[i]);
    }
  }

  uint64_t end_bytes(uint32_t atom) const { return begin_bytes_[atom] + laid_bytes(atom); }

  // Finds all scenarios' detours past the place in front of the atom at `rank`, with `moved` taken
  // out. Scenarios outside `next_near_` have their next need a jump away, or none. Both count the
  // same, because reading on gains nothing.
  void look_around(uint32_t rank, uint32_t moved) {
    for (const uint32_t scenario : last_near_.all()) detours_[scenario].before = far_bytes_;
    for (const uint32_t scenario : next_near_.all()) detours_[scenario].after = far_bytes_;
    last_near_.count = 0;
    next_near_.count = 0;
    slots_left_ = kSlotsBesideSearch * (content_.scenario_count() + 1);
    front_bytes_ = look_back(rank, moved);
    look_ahead(rank, moved);
    const uint64_t looked_at = kSlotsBesideSearch * (content_.scenario_count() + 1) - slots_left_;
    left_ -= std::min(left_, looked_at);
    if (slots_left_ == 0) search_around(rank, moved);
  }

  // Returns the bytes to the pack's front, or far_bytes_ if they are more.
  uint64_t look_back(uint32_t rank, uint32_t moved) {
    uint64_t bytes = 0;
    while (rank > 0 && bytes < far_bytes_) {
      const uint32_t atom = order_[--rank];
      if (atom == moved) continue;
      if (!take_slots_of(atom)) return far_bytes_;
      note_readers<&Detour::before>(atom, bytes, last_near_);
      bytes += laid_bytes(atom);
    }
    return std::min(bytes, far_bytes_);
  }

  void look_ahead(uint32_t rank, uint32_t moved) {
    uint64_t bytes = 0;
    for (; rank < order_.size() && bytes < far_bytes_; ++rank) {
      const uint32_t atom = order_[rank];
      if (atom == moved) continue;
      if (!take_slots_of(atom)) return;
      note_readers<&Detour::after>(atom, bytes, next_near_);
      bytes += laid_bytes(atom);
    }
  }

  // Notes how far an atom's readers are on one side, unless they have a nearer need there. Atoms
  // come nearest first, so the nearer need is the lower number.
  template <uint64_t Detour::*kSide>
  void note_readers(uint32_t atom, uint64_t bytes, Listed& near) {
    // Copies of members stay in registers.
    const uint64_t far_bytes = far_bytes_;
    Detour* const detours = detours_.data();
    uint32_t* const items = near.items.data();
    size_t count = near.count;
    for (const uint32_t reader : readers_of(atom)) {
      uint64_t& to_need = detours[reader].*kSide;
      items[count] = reader;
      count += to_need == far_bytes ? 1 : 0;
      to_need = std::min(to_need, bytes);
    }
    near.count = count;
  }

  bool take_slots_of(uint32_t atom) {
    slots_left_ -= std::min<uint64_t>(slots_left_, reads_[atom].readers);
    return slots_left_ > 0;
  }

  // Finds the same detours by searching all scenarios' needs.
  void search_around(uint32_t rank, uint32_t moved) {
    last_near_.count = 0;
    next_near_.count = 0;
    front_bytes_ =
        far_bytes_;  // if a scenario needs nothing before the place, detour() counts from the front
    for (uint32_t scenario = 0; scenario < content_.scenario_count(); ++scenario) {
      if (needs_[scenario].empty()) continue;
      const Detour& found = detours_[scenario] = detour(scenario, rank, moved);
      last_near_.add_if(found.before < far_bytes_, scenario);
      next_near_.add_if(found.after < far_bytes_, scenario);
    }
    left_ -= std::min(left_, kSearch * content_.scenario_count());
  }

  Detour detour(uint32_t scenario, uint32_t rank, uint32_t moved) const {
    const std::vector<uint32_t>& needs = needs_[scenario];
    const uint64_t moved_bytes = laid_bytes(moved);
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
    Detour way = {.before = at, .after = far_bytes_};
    if (last != needs.begin()) {
      const uint32_t atom = *std::prev(last);
      way.before -= without(end_bytes(atom), rank_[atom] > moved_rank);
    }
    if (next != needs.end())
      way.after = without(begin_bytes_[*next], rank_[*next] > moved_rank) - at;
    return {std::min(way.before, far_bytes_), std::min(way.after, far_bytes_)};
  }

  uint64_t before_bytes(uint32_t scenario) const {
    return std::min(detours_[scenario].before, front_bytes_);
  }

  double gap_s(uint64_t bytes) const { return costs_.gap_s(bytes); }

  // Returns by how many weighted seconds the loads of all scenarios grow with the atom at this
  // place. Its readers read it; the others that pass the place skip it.
  double added_s(uint32_t atom, uint32_t rank) {
    look_around(rank, atom);
    double sum = 0;
    for (const uint32_t reader : readers_of(atom)) {
      const uint64_t before = before_bytes(reader);
      const uint64_t after = detours_[reader].after;
      sum += content_.weights[reader] * (gap_s(before) + gap_s(after) - gap_s(before + after));
    }
    const uint64_t bytes = laid_bytes(atom);
    for (const uint32_t scenario : next_near_.all()) {
      const uint64_t gap_bytes = before_bytes(scenario) + detours_[scenario].after;
      if (is_reader_[scenario] == 0 && gap_bytes < far_bytes_)
        sum += content_.weights[scenario] * (gap_s(gap_bytes + bytes) - gap_s(gap_bytes));
    }
    return sum;
  }

  // Returns the atoms that share most readers with `atom`, after subtracting the cost for readers
  // that would skip it beside them. Moves don't change them.
  const std::vector<uint32_t>& alike(uint32_t atom) {
    if (!alike_[atom]) alike_[atom] = find_alike(atom);
    return *alike_[atom];
  }

  std::vector<uint32_t> find_alike(uint32_t atom) {
    std::vector<uint32_t> by_needs(readers_of(atom).begin(), readers_of(atom).end());
    std::ranges::sort(by_needs, {}, [&](uint32_t reader) { return needs_[reader].size(); });
    uint64_t compared = 0;
    size_t sharing = 0;
    for (const uint32_t reader : by_needs) {
      compared += needs_[reader].size();
      if (sharing_.size() < compared) sharing_.resize(compared);
      const double weight = content_.weights[reader];
      for (const uint32_t other : needs_[reader]) {
        // Whether another atom is new can't be predicted, so a branch would cost more.
        sharing_[sharing] = other;
        sharing += shared_[other] == 0 ? 1 : 0;
        shared_[other] += weight;
      }
      if (compared > kMostCompared) break;
    }
    left_ -= std::min(left_, compared);
    const double jump_s = costs_.jump_s;
    const double skip_s = gap_s(laid_bytes(atom));
    ranked_.clear();
    for (const uint32_t other : std::span(sharing_).first(sharing)) {
      const double shared = std::exchange(shared_[other], 0.0);
      if (other == atom) continue;
      const auto others = static_cast<double>(reads_[other].readers);
      add_to_ranked({shared * (jump_s + skip_s) - others * skip_s, other});
    }
    std::vector<uint32_t> found;
    for (const auto& [gain_s, other] : ranked_) found.push_back(other);
    return found;
  }

  // Keeps the best kTried, best first. One comparison rejects nearly all others.
  void add_to_ranked(const std::pair<double, uint32_t>& candidate) {
    const auto is_better = [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    if (ranked_.size() == kTried) {
      if (!is_better(candidate, ranked_.back())) return;
      ranked_.pop_back();
    }
    ranked_.insert(std::ranges::upper_bound(ranked_, candidate, is_better), candidate);
  }

  // Returns the cheapest rank to insert the atom in front of, or its own rank if no other is
  // cheaper.
  uint32_t best_rank(uint32_t atom) {
    const uint32_t here = rank_[atom];
    tried_ = {0, static_cast<uint32_t>(order_.size())};
    for (const uint32_t other : alike(atom)) {
      tried_.push_back(rank_[other]);
      tried_.push_back(rank_[other] + 1);
    }
    keep_each_once(tried_);
    double best_s = added_s(atom, here) - kLeastWon_s;
    uint32_t best = here;
    for (const uint32_t rank : tried_) {
      if (rank == here || rank == here + 1) continue;
      const double s = added_s(atom, rank);
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
  std::vector<uint32_t> readers_;  // the scenarios that read each atom from the common pack
  std::vector<uint32_t> order_;    // atoms that somebody reads from the common pack
  std::vector<uint32_t> unread_;
  std::vector<uint64_t> begin_bytes_;  // indexed by atom: its offset in the common pack
  std::vector<uint32_t> rank_;         // indexed by atom: its place in the order
  std::vector<AtomReads> reads_;       // indexed by atom
  // Indexed by scenario: the atoms it needs, in the order they lie.
  std::vector<std::vector<uint32_t>> needs_;
  std::vector<uint8_t> is_reader_;  // indexed by scenario: true for readers of the atom being moved
  // Indexed by atom: true if something beside it changed since it was tried.
  std::vector<uint8_t> is_due_;
  // Indexed by atom: summed weights of the readers it shares with the current atom.
  std::vector<double> shared_;
  std::vector<uint32_t> sharing_;  // has room for all that are compared
  std::vector<std::pair<double, uint32_t>> ranked_;
  std::vector<std::optional<std::vector<uint32_t>>> alike_;  // indexed by atom; empty until asked
  std::vector<uint32_t> tried_;                              // ranks
  const uint64_t far_bytes_;                                 // gaps from this length on cost a jump
  // All below concern the place last looked at.
  std::vector<Detour> detours_;  // indexed by scenario
  Listed last_near_;             // scenarios whose previous need is less than a jump away
  Listed next_near_;             // scenarios whose next need is less than a jump away
  uint64_t front_bytes_ = 0;
  uint64_t slots_left_ = 0;
};

}  // namespace

void move_atoms(const SharedContent& content, uint64_t effort, Arrangement& arrangement) {
  arrangement.order = AtomMover(content, effort, arrangement).run();
}

}  // namespace seekless
