#include "packer/plan/demand_cost.h"

#include <bit>

namespace seekless {
namespace {

uint64_t at_most(double value, uint64_t most) {
  return value < static_cast<double>(most) ? static_cast<uint64_t>(value) : most;
}

}  // namespace

DemandCost::DemandCost(const ReadCosts& costs, const DemandOptions& options)
    : jump_s_(costs.jump_s), bytes_per_s_(costs.bytes_per_s) {
  const uint64_t block_bytes =
      std::bit_floor(std::clamp<uint64_t>(options.block_bytes, 512, kMostSimulatedBytes));
  block_shift_ = static_cast<uint32_t>(std::countr_zero(block_bytes));
  block_s_ = costs.read_s(block_bytes);
  // Not from whole bytes: a gap that costs exactly a jump is read through.
  most_gap_blocks_ = static_cast<uint32_t>(
      at_most(jump_s_ * bytes_per_s_ / static_cast<double>(block_bytes), UINT32_MAX / 2));
  cache_blocks_ = static_cast<uint32_t>(
      std::clamp<uint64_t>(options.cache_bytes >> block_shift_, 1, UINT32_MAX / 2));
  most_simulated_bytes_ = kMostSimulatedBytes;
  if (options.cache_bytes < kMostSimulatedBytes) most_simulated_bytes_ += options.cache_bytes;
}

void DemandCost::lay(std::span<const uint64_t> sizes_bytes, std::span<const uint32_t> order) {
  begin_bytes_.resize(sizes_bytes.size());
  laid_bytes_.resize(sizes_bytes.size());
  rest_s_.clear();
  uint64_t at = 0;
  for (const uint32_t asset : order) {
    const uint64_t size = sizes_bytes[asset];
    const uint64_t laid = std::min(size, most_simulated_bytes_);
    if (laid < size) {
      rest_s_.resize(sizes_bytes.size(), 0);
      rest_s_[asset] = static_cast<double>(size - laid) / bytes_per_s_;
    }
    begin_bytes_[asset] = at;
    laid_bytes_[asset] = laid;
    at += laid;
  }
  const size_t blocks = static_cast<size_t>(at >> block_shift_) + 1;
  if (touched_.size() < blocks) touched_.resize(blocks, 0);
}

double DemandCost::run_s(std::span<const uint32_t> assets) {
  double s = seconds(read(assets));
  if (!rest_s_.empty())
    for (const uint32_t asset : assets) s += rest_s_[asset];
  return s;
}

void DemandCost::begin() {
  // Touches of earlier runs are older than `oldest_`, which spares emptying the table each time.
  if (now_ > UINT32_MAX / 2) {
    std::ranges::fill(touched_, 0);
    now_ = 1;
  }
  began_ = oldest_ = now_;
  log_.clear();
  cached_ = 0;
  head_ = last_touched_ = kNowhere;
  count_ = {};
}

}  // namespace seekless
