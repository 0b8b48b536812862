// Computes what it costs to read assets one by one ("demand": unmodified games, drop-in zips) where
// they lie in a given order. The planner judges and improves orders by this cost. It uses the
// simulator's page cache and drive, so an order that is good here is also good in a simulation.
// Pure.
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

// The assets lie back to back in one file at the start of the drive. Rotation costs its average, so
// that no order gains from the place of its bytes on a track. Not thread-safe.
class DemandCost {
 public:
  // Only this much of a larger asset is simulated; the rest is added at the drive's rate. Within
  // one asset the page cache never reaches back further, and no drive reads through a gap as large.
  static constexpr uint64_t kMostSimulatedBytes = uint64_t{64} << 20;

  DemandCost(DriveProfile drive, const DemandOptions& options);

  // Lays the assets back to back. `sizes_bytes` is indexed by asset; `order` holds each asset once.
  void lay(std::span<const uint64_t> sizes_bytes, std::span<const uint32_t> order);

  // Returns the seconds of one run that starts with nothing in memory, including the parts of large
  // assets that aren't simulated.
  double run_s(std::span<const uint32_t> assets);

  // Estimates a run's cost a hundred times faster, by adding up the gaps from asset to asset. Each
  // asset begins at `begin_bytes(asset)`, and nothing is ever in memory.
  template <typename BeginBytes>
  double ways_s(std::span<const uint32_t> assets, BeginBytes&& begin_bytes) const {
    double s = 0;
    uint64_t head = UINT64_MAX;  // nothing has been read
    for (const uint32_t asset : assets) {
      const uint64_t begin = begin_bytes(asset);
      if (head != UINT64_MAX) s += begin < head ? costs_.jump_s : costs_.gap_s(begin - head);
      head = begin + laid_bytes_[asset];
    }
    return s;
  }

  // These functions simulate a run step by step: begin it, read its assets in turn, and watch the
  // counters.
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
  uint64_t all_bytes_ = 0;              // size of the file that `reader_` simulates
  std::unique_ptr<ColdReader> reader_;  // null until something is laid
  std::vector<uint64_t> begin_bytes_;   // indexed by asset
  // Indexed by asset: its size, or the part of it that is simulated.
  std::vector<uint64_t> laid_bytes_;
  // Indexed by asset: seconds for the part that isn't simulated; may be empty.
  std::vector<double> rest_s_;
};

}  // namespace seekless
