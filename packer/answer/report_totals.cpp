#include "packer/answer/report_totals.h"

#include <limits>

#include <fmt/format.h>

#include "packer/words/figures.h"

namespace seekless {
namespace {

constexpr int kPlannedDecimals = 3;  // copies may save only milliseconds

void add(uint64_t& sum, uint64_t number) {
  const uint64_t room = std::numeric_limits<uint64_t>::max() - sum;
  sum = number > room ? std::numeric_limits<uint64_t>::max() : sum + number;
}

void add(LoadCost& sum, const LoadCost& cost) {
  add(sum.bytes, cost.bytes);
  add(sum.reads, cost.reads);
  add(sum.seeks, cost.seeks);
  sum.seconds += duration_or_zero(cost.seconds);
}

}  // namespace

LoadTotal total_of(const std::vector<ScenarioReport>& scenarios) {
  LoadTotal total;
  for (const ScenarioReport& scenario : scenarios) {
    add(total.needed_bytes, scenario.needed_bytes);
    add(total.before, scenario.before);
    add(total.after, scenario.after);
    total.bound_seconds += duration_or_zero(scenario.bound_seconds);
  }
  return total;
}

PackTotal total_of(const std::vector<PackReport>& packs) {
  PackTotal total;
  for (const PackReport& pack : packs) {
    add(total.assets, pack.assets);
    add(total.file_bytes, pack.file_bytes);
    add(total.content_bytes, pack.content_bytes);
    add(total.padding_bytes, pack.padding_bytes);
  }
  return total;
}

PlanReport plan_report_of(const Prediction& prediction) {
  return {.drive = prediction.drive,
          .reasons = prediction.reasons,
          .chosen = {.size_ratio = size_ratio_of(prediction.copied_bytes, prediction.curve),
                     .copied_bytes = prediction.copied_bytes,
                     .seconds = prediction.seconds},
          .curve = prediction.curve};
}

std::string copies_sentence(const PlanReport& plan) {
  const auto seconds = [&](const CopyPrice& price) {
    return number_cell(duration_or_zero(price.seconds), kPlannedDecimals) + " s";
  };
  if (plan.chosen.copied_bytes == 0)
    return fmt::format("No copies. All scenarios swept once: {} predicted.", seconds(plan.chosen));
  const std::string without =
      plan.curve.empty() ? "" : fmt::format(", without copies {}", seconds(plan.curve.front()));
  return fmt::format(
      "Copies of {}, which make the packs {} times the content. All scenarios swept once: {} "
      "predicted{}.",
      bytes_text(plan.chosen.copied_bytes), number_cell(plan.chosen.size_ratio, 2),
      seconds(plan.chosen), without);
}

std::string copies_note(const PlanReport& plan) {
  const auto seconds = [](const CopyPrice& price) {
    return number_cell(duration_or_zero(price.seconds), kPlannedDecimals) + " s";
  };
  if (plan.chosen.copied_bytes == 0 || plan.curve.empty())
    return fmt::format("no copies; all sweeps take {}", seconds(plan.chosen));
  return fmt::format("copies of {}: all sweeps take {} instead of {}",
                     bytes_text(plan.chosen.copied_bytes), seconds(plan.chosen),
                     seconds(plan.curve.front()));
}

}  // namespace seekless
