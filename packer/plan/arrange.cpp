#include "packer/plan/arrange.h"

#include <algorithm>
#include <bit>

#include "packer/plan/internal/atom_moves.h"
#include "packer/plan/internal/atom_order.h"
#include "packer/plan/internal/copies.h"
#include "packer/plan/internal/exchange.h"

namespace seekless {
namespace {

constexpr int kMostTurns = 6;
// With more slots than this, finding an order takes most of the time, so it is done less often.
constexpr size_t kManySlots = 4000;
constexpr int kTurnsOfMany = 2;
// If the seconds of two points of the curve differ by less than a thousandth, the points count as
// one.
constexpr double kNoticed = 0.999;

bool has_many_slots(const SharedContent& content) {
  return content.readers.size() > kManySlots;
}

// Returns budgets that rise from no copies to all copies. They are denser at the low end, because
// the first copies save most.
std::vector<uint64_t> rising_budgets(const SharedContent& content) {
  uint64_t most_bytes = 0;
  for (uint32_t atom = 0; atom < content.atom_count(); ++atom)
    if (content.may_copy[atom] != 0)
      most_bytes += content.atom_bytes[atom] * content.readers_of(atom).size();
  std::vector<uint64_t> budgets;
  for (const double share : {0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75})
    budgets.push_back(static_cast<uint64_t>(share * static_cast<double>(most_bytes)));
  budgets.push_back(most_bytes);
  return budgets;
}

// Starts from an order, and alternates between choosing copies and improving the order. Leaves the
// cheapest arrangement in `arrangement`.
void alternate(const SharedContent& content, const ArrangeOptions& options, ArrangedBefore& before,
               Arrangement& arrangement) {
  ArrangementCost cost(content);
  std::ranges::fill(arrangement.is_own, 0);
  Arrangement best = arrangement;
  double best_price = options.price(content, cost, best);
  const int turns = has_many_slots(content) ? kTurnsOfMany : kMostTurns;
  for (int turn = 0; turn < turns; ++turn) {
    if (turn > 0)
      arrangement = before.get(content, {options.move_effort, hash_of(arrangement)}, [&] {
        move_atoms(content, options.move_effort, arrangement);
        return arrangement;
      });
    choose_copies_within(content, options.price_s_per_byte(), options.budget_bytes, arrangement);
    const double price = options.price(content, cost, arrangement);
    if (price >= best_price) break;
    best_price = price;
    best = arrangement;
  }
  arrangement = std::move(best);
}

// Raises the budget step by step, and starts each step from the previous order and copies. The
// order matters more while there are few copies, so a better order is found early.
void climb(const SharedContent& content, const ArrangeOptions& options, ArrangedBefore& before,
           Arrangement& arrangement) {
  ArrangeOptions step = options;
  for (const uint64_t budget : rising_budgets(content)) {
    if (budget >= options.budget_bytes) break;
    step.budget_bytes = budget;
    alternate(content, step, before, arrangement);
  }
  alternate(content, options, before, arrangement);
}

Arrangement ordered_with_copies(const SharedContent& content, const ArrangeOptions& options,
                                ArrangedBefore& before) {
  Arrangement arrangement = before.get(content, {options.move_effort}, [&] {
    Arrangement ordered = plain_arrangement(content);
    order_atoms(content, options.move_effort, ordered);
    return ordered;
  });
  if (has_many_slots(content))
    climb(content, options, before, arrangement);
  else
    alternate(content, options, before, arrangement);
  return arrangement;
}

}  // namespace

Arrangement arrange(const SharedContent& content, const ArrangeOptions& options) {
  ArrangedBefore before;
  return arrange(content, options, before);
}

Arrangement arrange(const SharedContent& content, const ArrangeOptions& options,
                    ArrangedBefore& before) {
  if (content.costs.jump_s == 0 || content.atom_count() == 0) return plain_arrangement(content);
  const auto gain = std::bit_cast<uint64_t>(options.gain_s_per_gb);
  return before.get(content, {options.move_effort, gain, options.budget_bytes, options.effort},
                    [&] {
                      Arrangement arrangement =
                          before.get(content, {options.move_effort, gain, options.budget_bytes},
                                     [&] { return ordered_with_copies(content, options, before); });
                      exchange(content, options, arrangement);
                      return arrangement;
                    });
}

std::vector<CopyPrice> price_curve(const SharedContent& content, const WholeContent& whole,
                                   uint64_t effort, ArrangedBefore& before) {
  std::vector<CopyPrice> curve;
  double last_s = 0;
  ArrangementCost cost(content);
  ArrangeOptions options = {.gain_s_per_gb = 0, .budget_bytes = 0, .effort = effort};
  Arrangement arrangement;
  for (const uint64_t budget : rising_budgets(content)) {
    options.budget_bytes = budget;
    if (arrangement.order.empty() || !has_many_slots(content))
      arrangement = arrange(content, options, before);
    else if (content.costs.jump_s > 0)
      alternate(content, options, before, arrangement);
    const uint64_t bytes = copied_bytes(content, arrangement);
    const double seconds = cost.weighted_seconds(arrangement, whole.recorded);
    if (!curve.empty() && (bytes <= curve.back().copied_bytes || seconds >= last_s * kNoticed))
      continue;
    curve.push_back(
        {1 + static_cast<double>(bytes) / static_cast<double>(std::max<uint64_t>(1, whole.bytes)),
         bytes, whole.other_seconds + seconds});
    last_s = seconds;
  }
  return curve;
}

}  // namespace seekless
