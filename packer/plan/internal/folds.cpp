#include "packer/plan/internal/folds.h"

#include <algorithm>

#include "packer/plan/internal/random_choice.h"

namespace seekless {
namespace {

constexpr size_t kLeaveOneOutRuns = 4;
constexpr size_t kFifths = 5;
// With more reads than this and kManyRuns runs, one split is used, which then holds out 4 runs or
// more. Five splits would take several times as long.
constexpr uint64_t kEnoughReads = 20'000;
constexpr size_t kManyRuns = 20;

}  // namespace

std::vector<Fold> make_folds(const RunSet& set, Runs runs, uint64_t seed) {
  if (runs.size() < 2) return {};
  std::vector<uint32_t> shuffled(runs.begin(), runs.end());
  RandomChoice(seed).shuffle(shuffled);
  const size_t parts = runs.size() <= kLeaveOneOutRuns ? runs.size() : kFifths;
  const bool is_one_enough = runs.size() >= kManyRuns && reads_in(set, runs) > kEnoughReads;
  std::vector<Fold> folds(is_one_enough ? 1 : parts);
  for (size_t fold = 0; fold < folds.size(); ++fold) {
    for (size_t i = 0; i < shuffled.size(); ++i)
      (i % parts == fold ? folds[fold].held_out : folds[fold].train).push_back(shuffled[i]);
    std::ranges::sort(folds[fold].train);
    std::ranges::sort(folds[fold].held_out);
  }
  return folds;
}

}  // namespace seekless
