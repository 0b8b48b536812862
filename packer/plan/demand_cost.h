// What it costs to read assets one by one ("demand": unmodified games, drop-in zips) where they lie
// in a given order. The planner judges and polishes orders with it: the innermost loop. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/plan/read_costs.h"

namespace seekless {

struct DemandOptions {
  uint64_t block_bytes = uint64_t{128} << 10;  // Linux' read-ahead; rounded down to a power of two
  uint64_t cache_bytes = uint64_t{16} << 20;   // at least one block is kept
};

// Assets lie back to back. What is read is read in whole blocks. A gap forward is read through if
// that is no slower than a jump, and then lies in the cache too; every other way to another place
// is a jump, the first read included. The cache evicts what wasn't used for longest.
//
// Costs are counted in jumps and blocks, as integers, so that no sum depends on its order. Not for
// use by two threads at once; memory is about 4 bytes a block plus 8 an asset.
class DemandCost {
 public:
  // What lies in the cache never comes from further back than this in one asset, and no drive reads
  // through a gap as large: the middle of a larger asset is counted without being simulated.
  static constexpr uint64_t kMostSimulatedBytes = uint64_t{64} << 20;

  struct Count {
    uint64_t jumps = 0;
    uint64_t blocks = 0;

    Count& operator+=(const Count& other) {
      jumps += other.jumps;
      blocks += other.blocks;
      return *this;
    }
  };

  DemandCost(const ReadCosts& costs, const DemandOptions& options);

  // Every asset of `sizes_bytes`, by index, once in `order`.
  void lay(std::span<const uint64_t> sizes_bytes, std::span<const uint32_t> order);

  // Reads assets in turn, the cache empty at first. O(assets read) for a given break-even gap.
  Count read(std::span<const uint32_t> assets) {
    return read(assets, [this](uint32_t asset) { return begin_bytes_[asset]; });
  }

  // As if `begin_bytes(asset)` were where each asset begins; nothing beyond the end of what `lay`
  // laid.
  template <typename BeginBytes>
  Count read(std::span<const uint32_t> assets, BeginBytes&& begin_bytes) {
    begin();
    for (const uint32_t asset : assets) read_asset(asset, begin_bytes(asset));
    return count_;
  }

  // Step by step: a run begins, its assets are read in turn, and the count grows.
  void begin();
  void read_asset(uint32_t asset, uint64_t begin_bytes) {
    if (laid_bytes_[asset] == 0) return;
    const auto first = static_cast<uint32_t>(begin_bytes >> block_shift_);
    const auto last = static_cast<uint32_t>((begin_bytes + laid_bytes_[asset] - 1) >> block_shift_);
    for (uint32_t block = first; block <= last; ++block) read_block(block);
  }
  const Count& count() const { return count_; }

  double seconds(const Count& count) const {
    return static_cast<double>(count.jumps) * jump_s_ +
           static_cast<double>(count.blocks) * block_s_;
  }
  // Of one run; with what isn't simulated of large assets.
  double run_s(std::span<const uint32_t> assets);

  uint64_t begin_bytes(uint32_t asset) const { return begin_bytes_[asset]; }
  uint64_t laid_bytes(uint32_t asset) const { return laid_bytes_[asset]; }
  double block_s() const { return block_s_; }
  double jump_s() const { return jump_s_; }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  bool is_cached(uint32_t block) const { return touched_[block] >= oldest_; }

  void read_block(uint32_t block) {
    if (block == last_touched_) return;
    if (!is_cached(block)) fetch(block);
    touch(block);
  }

  void fetch(uint32_t block) {
    if (head_ <= block && block - head_ <= most_gap_blocks_) {
      count_.blocks += block - head_;
      for (; head_ < block; ++head_) touch(head_);
    } else {
      ++count_.jumps;
    }
    ++count_.blocks;
    head_ = block + 1;
  }

  // The log holds every touch; a block is cached if its last one is no older than `oldest_`.
  void touch(uint32_t block) {
    const bool is_new = !is_cached(block);
    touched_[block] = now_++;
    log_.push_back(block);
    last_touched_ = block;
    if (is_new && ++cached_ > cache_blocks_) evict();
  }

  void evict() {
    while (touched_[log_[oldest_ - began_]] != oldest_) ++oldest_;  // was touched again later
    ++oldest_;
    --cached_;
  }

  double jump_s_;
  double block_s_;
  double bytes_per_s_;
  uint32_t block_shift_;
  uint32_t most_gap_blocks_;
  uint32_t cache_blocks_;
  uint64_t most_simulated_bytes_;

  std::vector<uint64_t> begin_bytes_;  // by asset
  std::vector<uint64_t> laid_bytes_;   // by asset: its size, or what is simulated of it
  std::vector<double> rest_s_;         // by asset: reading what isn't simulated of it; or empty

  std::vector<uint32_t> touched_;  // by block: when it was used last
  std::vector<uint32_t> log_;      // the blocks touched since `began_`
  uint32_t now_ = 1;
  uint32_t began_ = 1;
  uint32_t oldest_ = 1;
  uint32_t cached_ = 0;
  uint32_t head_ = kNowhere;
  uint32_t last_touched_ = kNowhere;
  Count count_;
};

}  // namespace seekless
