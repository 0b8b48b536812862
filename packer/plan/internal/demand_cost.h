// What it costs to read assets one by one ("demand": unmodified games, drop-in zips) where they lie
// in a given order. The planner judges and polishes orders with it, by the same page cache and
// drive as the simulator, so that what it finds good is good there. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "packer/drive/cold_reader.h"
#include "packer/drive/profile.h"
#include "packer/drive/read_ahead.h"
#include "packer/plan/internal/read_costs.h"

namespace seekless {

struct DemandOptions {
  ReadAhead read_ahead;
};

// Assets lie back to back in one file, at the start of the drive. The platter turns as it does on
// average, so that no order is preferred for how many bytes happen to lie in front of it. Not for
// use by two threads at once.
class DemandCost {
 public:
  // What is in memory never comes from further back than this in one asset, and no drive reads
  // through a gap as large: the middle of a larger asset is counted without being simulated.
  static constexpr uint64_t kMostSimulatedBytes = uint64_t{64} << 20;

  DemandCost(DriveProfile drive, const DemandOptions& options);

  // Every asset of `sizes_bytes`, by index, once in `order`.
  void lay(std::span<const uint64_t> sizes_bytes, std::span<const uint32_t> order);

  // Seconds of one run, with nothing in memory at first; with what isn't simulated of large assets.
  double run_s(std::span<const uint32_t> assets);

  // Roughly, and a hundred times faster: the ways from asset to asset, as if `begin_bytes(asset)`
  // were where each begins, and nothing were ever in memory.
  template <typename BeginBytes>
  double ways_s(std::span<const uint32_t> assets, BeginBytes&& begin_bytes) const {
    double s = 0;
    uint64_t head = UINT64_MAX;  // no read yet
    for (const uint32_t asset : assets) {
      const uint64_t begin = begin_bytes(asset);
      if (head != UINT64_MAX) s += begin < head ? costs_.jump_s : costs_.gap_s(begin - head);
      head = begin + laid_bytes_[asset];
    }
    return s;
  }

  // Step by step: a run begins, its assets are read in turn, and the counters grow.
  void begin() { reader_->begin(); }
  void read_asset(uint32_t asset, uint64_t begin_bytes) {
    reader_->read(0, begin_bytes, laid_bytes_[asset]);
  }
  const Drive::Counters& counters() const { return reader_->counters(); }

  uint64_t begin_bytes(uint32_t asset) const { return begin_bytes_[asset]; }
  uint64_t laid_bytes(uint32_t asset) const { return laid_bytes_[asset]; }

 private:
  const DriveProfile drive_;
  const DemandOptions options_;
  ReadCosts costs_;
  uint64_t all_bytes_ = 0;              // that `reader_` has room for
  std::unique_ptr<ColdReader> reader_;  // null until something is laid
  std::vector<uint64_t> begin_bytes_;   // by asset
  std::vector<uint64_t> laid_bytes_;    // by asset: its size, or what is simulated of it
  std::vector<double> rest_s_;          // by asset: reading what isn't simulated of it; or empty
};

}  // namespace seekless
