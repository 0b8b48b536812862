#include "packer/plan/internal/copies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "packer/base/none.h"

namespace seekless {
namespace {

// This many preceding needs are tried one by one. All earlier ones count as a jump away.
constexpr size_t kNear = 64;

// Holds neighbouring needs of one scenario.
struct Stretch {
  uint64_t begin_bytes = 0;  // offset in the common pack
  uint64_t end_bytes = 0;
  uint64_t priced_bytes = 0;  // bytes that set the price of a copy
  // Weighted seconds that a copy adds to all loads, by making the catalog longer.
  double catalog_s = 0;
  double padding_s = 0;  // weighted seconds for reading the padding at the needs' present places
  uint32_t first = 0;    // its first index in slots_
  uint32_t last = 0;     // one past its last index in slots_
  bool must_stay = false;
};

class CopyChooser {
 public:
  CopyChooser(const SharedContent& content, Arrangement& arrangement)
      : content_(content),
        costs_(content.costs_with_sharing()),
        weight_sum_(std::accumulate(content.weights.begin(), content.weights.end(), 0.0)),
        arrangement_(arrangement),
        open_(content.scenario_count()),
        all_bytes_(content.scenario_count()),
        copied_bytes_(content.scenario_count()) {
    std::iota(open_.begin(), open_.end(), 0U);
    place_slots();
  }

  // Returns the copied bytes. May be called again with another price, because the order doesn't
  // change.
  uint64_t choose(double price_s_per_byte) {
    for (const uint32_t scenario : open_) choose_for(scenario, price_s_per_byte);
    return std::accumulate(copied_bytes_.begin(), copied_bytes_.end(), uint64_t{0});
  }

  // From now on, chooses only for scenarios whose choices differ. The others would choose the same
  // at every price between those of the two choices.
  void keep_open(const Arrangement& one, const Arrangement& other) {
    std::erase_if(open_, [&](uint32_t scenario) {
      return std::all_of(slots_.begin() + begin_[scenario], slots_.begin() + begin_[scenario + 1],
                         [&](uint32_t slot) { return one.is_own[slot] == other.is_own[slot]; });
    });
  }

 private:
  // Holds what find_stretches() asks for each need of an atom, at each price.
  struct PricedAtom {
    uint64_t begin_bytes;  // offset in the common pack
    uint64_t end_bytes;
    uint64_t priced_bytes;
    double padding_s;
    double catalog_s;  // weighted seconds that a copy adds to all loads
    bool must_stay;
  };

  // Lists each scenario's slots in the order of their places.
  void place_slots() {
    begin_.assign(content_.scenario_count() + 1, 0);
    for (const uint32_t reader : content_.readers) ++begin_[reader + 1];
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    slots_.resize(content_.readers.size());
    std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
    atoms_.resize(content_.readers.size());
    placed_.resize(content_.atom_count());
    uint64_t position = 0;
    for (const uint32_t atom : arrangement_.order) {
      const uint64_t begin = position;
      position += content_.laid_bytes(atom);
      placed_[atom] = {.begin_bytes = begin,
                       .end_bytes = position,
                       .priced_bytes = content_.priced_bytes[atom],
                       .padding_s = content_.padding_s(atom),
                       .catalog_s = weight_sum_ * costs_.read_s(content_.catalog_bytes(atom)),
                       .must_stay = content_.may_copy[atom] == 0};
      for (uint32_t slot = content_.first_slot[atom]; slot < content_.first_slot[atom + 1];
           ++slot) {
        const uint32_t scenario = content_.readers[slot];
        all_bytes_[scenario] += content_.atom_bytes[atom];
        atoms_[next[scenario]] = atom;
        slots_[next[scenario]++] = slot;
      }
    }
  }

  void find_stretches(uint32_t scenario) {
    stretches_.clear();
    for (uint32_t i = begin_[scenario]; i < begin_[scenario + 1]; ++i) {
      const PricedAtom& atom = placed_[atoms_[i]];
      if (stretches_.empty() || stretches_.back().end_bytes != atom.begin_bytes)
        stretches_.push_back({.begin_bytes = atom.begin_bytes, .first = i});
      Stretch& stretch = stretches_.back();
      stretch.end_bytes = atom.end_bytes;
      stretch.padding_s += content_.weights[scenario] * atom.padding_s;
      stretch.priced_bytes += atom.priced_bytes;
      stretch.catalog_s += atom.catalog_s;
      stretch.last = i + 1;
      stretch.must_stay = stretch.must_stay || atom.must_stay;
    }
  }

  // Chooses the scenario's copies. For each stretch i, it finds the least cost of the stretches up
  // to i if i is read from the common pack. before_[i] is the previous stretch read from there, and
  // all stretches in between are copied; kNone means that the tables are read before i.
  void choose_for(uint32_t scenario, double price) {
    find_stretches(scenario);
    if (stretches_.empty()) return;
    const double jump_s = content_.weights[scenario] * costs_.jump_s;
    const uint64_t far_bytes = costs_.far_bytes();
    const size_t count = stretches_.size();
    before_.assign(count, kNone);
    double copied_price = 0;  // cost of copying all stretches before the current one
    // Among the stretches at least a jump away, `best_far` is the lowest saved_. Stretches from
    // `far` on are nearer.
    double best_far = kInfinite;
    uint32_t best_far_at = kNone;
    size_t far = 0;
    // A stretch that must stay can't be skipped, so no earlier one may be the previous one.
    size_t nearest_allowed = 0;
    bool tables_allowed = true;
    double stay_all_s = jump_s;
    saved_.assign(count, 0);  // cost up to stretch i, minus the cost of copying everything up to i
    for (size_t i = 0; i < count; ++i) {
      const uint64_t begin = stretches_[i].begin_bytes;
      for (; far < i && begin - stretches_[far].end_bytes >= far_bytes; ++far)
        if (far >= nearest_allowed && saved_[far] < best_far) {
          best_far = saved_[far];
          best_far_at = static_cast<uint32_t>(far);
        }
      double least = best_far + jump_s;
      before_[i] = best_far_at;
      if (tables_allowed) take_if_less(jump_s + gap(scenario, begin), kNone, least, i);
      const size_t stop = std::max({nearest_allowed, far, i > kNear ? i - kNear : 0});
      for (size_t near = i; near-- > stop;)
        take_if_less(saved_[near] + gap(scenario, begin - stretches_[near].end_bytes),
                     static_cast<uint32_t>(near), least, i);
      const double total = least + stretches_[i].padding_s + copied_price;
      stay_all_s += gap(scenario, begin - (i > 0 ? stretches_[i - 1].end_bytes : 0)) +
                    stretches_[i].padding_s;
      copied_price +=
          price * static_cast<double>(stretches_[i].priced_bytes) + stretches_[i].catalog_s;
      saved_[i] = total - copied_price;
      if (stretches_[i].must_stay) {
        nearest_allowed = i;
        tables_allowed = false;
        best_far = kInfinite;
      }
    }
    const auto last = std::min_element(
        saved_.begin() + static_cast<std::ptrdiff_t>(nearest_allowed), saved_.end());
    apply(scenario, copied_price, *last, static_cast<uint32_t>(last - saved_.begin()),
          tables_allowed, stay_all_s, jump_s);
  }

  void take_if_less(double cost, uint32_t from, double& least, size_t at) {
    if (cost > least)
      return;  // if the costs are equal, takes the nearer one, because it copies less
    least = cost;
    before_[at] = from;
  }

  double gap(uint32_t scenario, uint64_t gap_bytes) const {
    return content_.weights[scenario] * costs_.gap_s(gap_bytes);
  }

  void apply(uint32_t scenario, double all_copied_price, double best_kept_s, uint32_t last_kept,
             bool may_leave, double stay_all_s, double jump_s) {
    // A copy needs its sub-pack to be opened. Most scenarios open theirs anyway.
    const double open_s = content_.has_own[scenario] != 0 ? 0 : jump_s;
    double least = best_kept_s + all_copied_price + open_s;
    uint32_t kept = last_kept;
    if (may_leave && all_copied_price + open_s < least) {
      least = all_copied_price + open_s;
      kept = kNone;
    }
    const bool stays = stay_all_s <= least;
    for (uint32_t i = begin_[scenario]; i < begin_[scenario + 1]; ++i)
      arrangement_.is_own[slots_[i]] = stays ? 0 : 1;
    copied_bytes_[scenario] = stays ? 0 : all_bytes_[scenario];
    if (stays) return;
    for (; kept != kNone; kept = before_[kept])
      for (uint32_t i = stretches_[kept].first; i < stretches_[kept].last; ++i) {
        arrangement_.is_own[slots_[i]] = 0;
        copied_bytes_[scenario] -= content_.atom_bytes[atoms_[i]];
      }
  }

  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  const SharedContent& content_;
  const ReadCosts costs_;
  const double weight_sum_;
  Arrangement& arrangement_;
  std::vector<uint32_t> open_;          // scenarios that choose() is for
  std::vector<uint64_t> all_bytes_;     // indexed by scenario: bytes of all its slots
  std::vector<uint64_t> copied_bytes_;  // indexed by scenario: bytes of the copies chosen for it
  std::vector<uint32_t> begin_;         // indexed by scenario: its first index in slots_
  std::vector<uint32_t> slots_;
  std::vector<uint32_t> atoms_;     // their atoms, indexed as slots_
  std::vector<PricedAtom> placed_;  // indexed by atom
  std::vector<Stretch> stretches_;  // this array and those below concern one scenario
  std::vector<double> saved_;
  std::vector<uint32_t> before_;
};

// Goes through the scenarios and adds the copies of the next lower price, as far as they fit.
void take_more(const SharedContent& content, const Arrangement& larger, uint64_t budget_bytes,
               Arrangement& arrangement) {
  std::vector<uint64_t> more_bytes(content.scenario_count());
  std::vector<uint8_t> only_adds(content.scenario_count(), 1);
  for (uint32_t atom = 0; atom < content.atom_count(); ++atom)
    for (uint32_t slot = content.first_slot[atom]; slot < content.first_slot[atom + 1]; ++slot) {
      if (larger.is_own[slot] == arrangement.is_own[slot]) continue;
      if (larger.is_own[slot] != 0)
        more_bytes[content.readers[slot]] += content.atom_bytes[atom];
      else
        only_adds[content.readers[slot]] = 0;
    }
  uint64_t left_bytes = budget_bytes - copied_bytes(content, arrangement);
  std::vector<uint8_t> takes(content.scenario_count());
  for (uint32_t scenario = 0; scenario < content.scenario_count(); ++scenario) {
    if (only_adds[scenario] == 0 || more_bytes[scenario] == 0 || more_bytes[scenario] > left_bytes)
      continue;
    takes[scenario] = 1;
    left_bytes -= more_bytes[scenario];
  }
  for (size_t slot = 0; slot < arrangement.is_own.size(); ++slot)
    if (takes[content.readers[slot]] != 0) arrangement.is_own[slot] = larger.is_own[slot];
}

}  // namespace

void choose_copies_within(const SharedContent& content, double price_s_per_byte,
                          uint64_t budget_bytes, Arrangement& arrangement) {
  Arrangement fits = arrangement;
  std::ranges::fill(fits.is_own, 0);
  if (budget_bytes == 0) {
    arrangement = std::move(fits);
    return;
  }
  CopyChooser chooser(content, arrangement);
  if (chooser.choose(price_s_per_byte) <= budget_bytes) return;
  // At this price even a copy of a single byte doesn't pay.
  const double most_weight = std::max(1.0, std::ranges::max(content.weights));
  double high = 3 * most_weight * content.costs.jump_s;
  double low = std::max(price_s_per_byte, high * 1e-13);
  Arrangement too_large = arrangement;
  // This many halvings of the logarithm reduce a range of 1e13 to a part in 1e8.
  constexpr int kSteps = 32;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = std::sqrt(low * high);
    chooser.keep_open(fits, too_large);
    const bool is_within = chooser.choose(middle) <= budget_bytes;
    (is_within ? high : low) = middle;
    (is_within ? fits : too_large).is_own = arrangement.is_own;
  }
  arrangement = std::move(fits);
  take_more(content, too_large, budget_bytes, arrangement);
}

}  // namespace seekless
