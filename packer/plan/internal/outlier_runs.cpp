#include "packer/plan/internal/outlier_runs.h"

#include <algorithm>

namespace seekless {

std::vector<uint32_t> find_outlier_runs(const RunSet& set, Runs runs) {
  if (runs.size() < 3) return {};
  std::vector<uint32_t> readers(set.asset_count());
  for (const uint32_t i : runs)
    for (const uint32_t asset : set.run(i)) ++readers[asset];
  std::vector<double> overlaps;
  for (const uint32_t i : runs) {
    uint64_t others = 0;
    for (const uint32_t asset : set.run(i)) others += readers[asset] - 1;
    overlaps.push_back(static_cast<double>(others) / static_cast<double>(set.run(i).size()) /
                       static_cast<double>(runs.size() - 1));
  }
  std::vector<double> sorted = overlaps;
  std::ranges::sort(sorted);
  const double median = sorted[sorted.size() / 2];
  std::vector<uint32_t> outliers;
  for (size_t i = 0; i < runs.size(); ++i)
    if (overlaps[i] < median / 2) outliers.push_back(runs[i]);
  return outliers;
}

}  // namespace seekless
