#include "packer/plan/internal/exchange.h"

#include <algorithm>
#include <limits>
#include <span>

#include "packer/host/interrupt.h"
#include "packer/plan/internal/copies.h"
#include "packer/plan/internal/random_choice.h"

namespace seekless {
namespace {

constexpr double kLeastGain = 1e-12;
// Up to this many slots, changes of two copies at once are tried, for all pairs of slots.
constexpr size_t kMostForPairs = 400;
constexpr size_t kLongestStretch = 3;
// The search ends after at least this many random restarts without gain.
constexpr size_t kLeastPatience = 60;

class Exchanger {
 public:
  Exchanger(const SharedContent& content, const ArrangeOptions& options)
      : content_(content), options_(options), cost_(content), left_(options.effort) {
    slots_of_.resize(content.scenario_count());
    for (uint32_t atom = 0; atom < content.atom_count(); ++atom)
      for (uint32_t slot = content.first_slot[atom]; slot < content.first_slot[atom + 1]; ++slot) {
        if (content.may_copy[atom] == 0) continue;
        free_slots_.push_back(slot);
        slots_of_[content.readers[slot]].push_back(slot);
      }
  }

  void run(Arrangement& arrangement) {
    now_ = arrangement;
    price_ = price();
    climb();
    Arrangement best = now_;
    double best_price = price_;
    const size_t patience = kLeastPatience + 2 * free_slots_.size();
    for (size_t fruitless = 0; left_ > 0 && fruitless < patience; ++fruitless) {
      shake();
      climb();
      if (price_ < best_price - kLeastGain) {
        best = now_;
        best_price = price_;
        fruitless = 0;
      } else {
        now_ = best;
        price_ = best_price;
      }
    }
    arrangement = std::move(best);
  }

 private:
  double price() {
    stop_if_interrupted();
    const uint64_t looked_at = content_.readers.size() + content_.atom_count();
    left_ -= std::min(left_, looked_at);
    return options_.price(content_, cost_, now_);
  }

  // Keeps the latest change if it lowers the price.
  bool helps() {
    if (left_ == 0) return false;
    const double changed = price();
    if (changed >= price_ - kLeastGain) return false;
    price_ = changed;
    return true;
  }

  void climb() {
    for (bool improved = true; improved && left_ > 0;) {
      improved = flip_one();
      improved = flip_groups() || improved;
      improved = move_stretches() || improved;
      if (!improved && free_slots_.size() <= kMostForPairs) improved = flip_two();
      if (!improved) improved = choose_anew();
    }
  }

  void flip(uint32_t slot) { now_.is_own[slot] ^= 1; }

  bool flip_one() {
    bool improved = false;
    for (const uint32_t slot : free_slots_) {
      flip(slot);
      if (helps())
        improved = true;
      else
        flip(slot);
    }
    return improved;
  }

  bool flip_two() {
    for (size_t i = 0; i < free_slots_.size(); ++i)
      for (size_t j = 0; j < i && left_ > 0; ++j) {
        flip(free_slots_[i]);
        flip(free_slots_[j]);
        if (helps()) return true;
        flip(free_slots_[i]);
        flip(free_slots_[j]);
      }
    return false;
  }

  bool set_all(std::span<const uint32_t> slots, uint8_t value) {
    saved_.clear();
    bool changes = false;
    for (const uint32_t slot : slots) {
      saved_.push_back(now_.is_own[slot]);
      changes = changes || now_.is_own[slot] != value;
      now_.is_own[slot] = value;
    }
    if (changes && helps()) return true;
    for (size_t i = 0; i < slots.size(); ++i) now_.is_own[slots[i]] = saved_[i];
    return false;
  }

  bool flip_groups() {
    bool improved = false;
    std::vector<uint32_t> slots;
    for (uint32_t atom = 0; atom < content_.atom_count(); ++atom) {
      if (content_.may_copy[atom] == 0) continue;
      slots.clear();
      for (uint32_t slot = content_.first_slot[atom]; slot < content_.first_slot[atom + 1]; ++slot)
        slots.push_back(slot);
      for (const uint8_t value : {0, 1}) improved = set_all(slots, value) || improved;
    }
    for (const std::vector<uint32_t>& of_scenario : slots_of_)
      for (const uint8_t value : {0, 1}) improved = set_all(of_scenario, value) || improved;
    return improved;
  }

  bool move_stretches() {
    bool improved = false;
    const size_t count = now_.order.size();
    for (size_t length = 1; length <= std::min(kLongestStretch, count); ++length)
      for (size_t from = 0; from + length <= count; ++from)
        for (size_t to = 0; to + length <= count && left_ > 0; ++to) {
          if (to == from && length == 1) continue;
          for (const bool turns : {false, true}) {
            if (turns ? length == 1 : to == from) continue;
            improved = move_stretch(from, to, length, turns) || improved;
          }
        }
    return improved;
  }

  bool move_stretch(size_t from, size_t to, size_t length, bool turns) {
    const auto at = [&](size_t i) { return now_.order.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto move = [&](size_t source, size_t target) {
      if (source < target)
        std::rotate(at(source), at(source + length), at(target + length));
      else
        std::rotate(at(target), at(source), at(source + length));
    };
    move(from, to);
    if (turns) std::reverse(at(to), at(to + length));
    if (helps()) return true;
    if (turns) std::reverse(at(to), at(to + length));
    move(to, from);
    return false;
  }

  // Chooses all copies again for the current order.
  bool choose_anew() {
    const std::vector<uint8_t> before = now_.is_own;
    choose_copies_within(content_, options_.price_s_per_byte(), options_.budget_bytes, now_);
    // Choosing takes about as long as this many passes.
    constexpr uint64_t kPassesOfChoosing = 1000;
    left_ -= std::min(left_, kPassesOfChoosing * content_.readers.size());
    if (helps()) return true;
    now_.is_own = before;
    return false;
  }

  // Makes a few random changes. If the copies then exceed the budget, it drops copies at random
  // until they fit.
  void shake() {
    const uint64_t changes = 2 + random_.below(3);
    for (uint64_t i = 0; i < changes; ++i) {
      if (!free_slots_.empty() && random_.below(2) == 0)
        flip(free_slots_[random_.below(free_slots_.size())]);
      else
        std::swap(now_.order[random_.below(now_.order.size())],
                  now_.order[random_.below(now_.order.size())]);
    }
    while (copied_bytes(content_, now_) > options_.budget_bytes)
      now_.is_own[free_slots_[random_.below(free_slots_.size())]] = 0;
    price_ = price();
  }

  const SharedContent& content_;
  const ArrangeOptions& options_;
  ArrangementCost cost_;
  uint64_t left_;
  std::vector<uint32_t> free_slots_;             // slots that may be copied
  std::vector<std::vector<uint32_t>> slots_of_;  // indexed by scenario
  std::vector<uint8_t> saved_;
  Arrangement now_;
  double price_ = 0;
  RandomChoice random_{1};
};

}  // namespace

void exchange(const SharedContent& content, const ArrangeOptions& options,
              Arrangement& arrangement) {
  if (content.atom_count() > 0) Exchanger(content, options).run(arrangement);
}

}  // namespace seekless
