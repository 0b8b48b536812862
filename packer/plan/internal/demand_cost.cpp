#include "packer/plan/internal/demand_cost.h"

#include <algorithm>
#include <utility>

namespace seekless {

DemandCost::DemandCost(DriveProfile drive, const DemandOptions& options)
    : drive_(std::move(drive)), options_(options) {}

void DemandCost::lay(std::span<const uint64_t> sizes_bytes, std::span<const uint32_t> order) {
  begin_bytes_.resize(sizes_bytes.size());
  laid_bytes_.resize(sizes_bytes.size());
  rest_s_.clear();
  const Drive drive(drive_);
  uint64_t at = 0;
  for (const uint32_t asset : order) {
    const uint64_t size = sizes_bytes[asset];
    const uint64_t laid = std::min(size, kMostSimulatedBytes);
    if (laid < size) {
      rest_s_.resize(sizes_bytes.size(), 0);
      rest_s_[asset] = static_cast<double>(size - laid) / drive.rate_bytes_per_s(at);
    }
    begin_bytes_[asset] = at;
    laid_bytes_[asset] = laid;
    at += laid;
  }
  if (reader_ && all_bytes_ == at) return;
  all_bytes_ = at;
  costs_ = read_costs(drive_, at);
  costs_.turn_bytes = 0;  // the host pauses between reads, so the platter's angle is random
  reader_ = std::make_unique<ColdReader>(drive_, std::vector<uint64_t>{at}, options_.read_ahead,
                                         Drive::Turn::average);
}

double DemandCost::run_s(std::span<const uint32_t> assets) {
  begin();
  for (const uint32_t asset : assets) read_asset(asset, begin_bytes_[asset]);
  double s = counters().busy_ms / 1000;
  if (!rest_s_.empty())
    for (const uint32_t asset : assets) s += rest_s_[asset];
  return s;
}

}  // namespace seekless
