#include "packer/plan/arrange.h"

#include <algorithm>
#include <array>

#include "packer/plan/atom_moves.h"
#include "packer/plan/atom_order.h"
#include "packer/plan/copies.h"
#include "packer/plan/exchange.h"

namespace seekless {
namespace {

constexpr int kMostTurns = 6;
// With more slots than this, finding an order takes most of the time: it is found less often.
constexpr size_t kManySlots = 4000;
constexpr int kTurnsOfMany = 2;
// Of one point of the curve.
constexpr uint64_t kPointMoveEffort = 20'000'000;
// Points of the curve that are nearer than a thousandth are one.
constexpr double kNoticed = 0.999;

// Copies and order in turn, from an order; with the best of the copies that were chosen.
void alternate(const SharedContent& content, const ArrangeOptions& options,
               Arrangement& arrangement) {
  ArrangementCost cost(content);
  std::ranges::fill(arrangement.is_own, 0);
  Arrangement best = arrangement;
  double best_price = options.price(content, cost, best);
  const int turns = content.readers.size() > kManySlots ? kTurnsOfMany : kMostTurns;
  for (int turn = 0; turn < turns; ++turn) {
    if (turn > 0) move_atoms(content, options.move_effort, arrangement);
    choose_copies_within(content, options.price_s_per_byte(), options.budget_bytes, arrangement);
    const double price = options.price(content, cost, arrangement);
    if (price >= best_price) break;
    best_price = price;
    best = arrangement;
  }
  arrangement = std::move(best);
}

}  // namespace

Arrangement arrange(const SharedContent& content, const ArrangeOptions& options) {
  Arrangement arrangement = plain_arrangement(content);
  if (content.costs.jump_s == 0 || content.atom_count() == 0) return arrangement;
  order_atoms(content, options.move_effort, arrangement);
  alternate(content, options, arrangement);
  exchange(content, options, arrangement);
  return arrangement;
}

std::vector<CopyPrice> price_curve(const SharedContent& content, const Arrangement& chosen,
                                   const WholeContent& whole, uint64_t effort) {
  uint64_t most_bytes = 0;
  for (uint32_t atom = 0; atom < content.atom_count(); ++atom)
    if (content.may_copy[atom] != 0)
      most_bytes += content.atom_bytes[atom] * (content.readers_of(atom).size() - 1);
  // Shares of a full copy: the first copies bring most.
  static constexpr std::array kShares = {0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0};
  std::vector<CopyPrice> curve;
  double last_s = 0;
  ArrangementCost cost(content);
  // Each point's begins with that of the one before: the fewer copies, the more its order counts.
  Arrangement arrangement = chosen;
  std::ranges::fill(arrangement.is_own, 0);
  if (content.readers.size() > kManySlots && content.costs.jump_s > 0)
    order_atoms(content, kPointMoveEffort, arrangement);
  for (const double share : kShares) {
    const auto budget_bytes =
        share == 1 ? most_bytes : static_cast<uint64_t>(share * static_cast<double>(most_bytes));
    const ArrangeOptions options = {.gain_s_per_gb = 0,
                                    .budget_bytes = budget_bytes,
                                    .effort = effort,
                                    .move_effort = kPointMoveEffort};
    if (content.readers.size() <= kManySlots)
      arrangement = arrange(content, options);
    else if (content.costs.jump_s > 0)
      alternate(content, options, arrangement);
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
