// Polishing an order of many assets: moves short stretches to where jumps say they belong. Judges a
// move by the ways between the reads near it alone, so that a round takes time for each move, not
// for each read; then all of them together by whole runs. Pure.
#pragma once

#include <vector>

#include "packer/plan/internal/demand_cost.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

class RepairPolish {
 public:
  // All must outlive it. Of many runs, some speak for all. `most_moves` are tried in one round.
  RepairPolish(const RunSet& set, Runs runs, DemandCost& cost, uint32_t most_moves);

  // Changes `order` so that the runs read faster in it; false, and nothing changed, if no move
  // helps. It overfits sooner or later: when to stop is for runs to say that it doesn't know.
  bool improve(Order& order);

 private:
  struct Jump {
    uint32_t from;  // the asset that was read last
    uint32_t to;
    double weight;
  };
  // Exchanges the stretches [begin, middle) and [middle, end) of places.
  struct Move {
    uint32_t begin, middle, end;
  };

  void lay(const Order& order);
  std::vector<Jump> find_jumps();
  bool try_repair(Order& order, const Jump& jump);
  double gain_s(const Order& order, const Move& move);
  void gather_places(const Move& move);
  void gather_windows(size_t run);
  void apply(Order& order, const Move& move);
  uint32_t time_of(size_t run, uint32_t asset) const {
    return times_[run * set_.asset_count() + asset];
  }

  struct OrderWindow {
    uint32_t begin, end;
  };

  const RunSet& set_;
  DemandCost& cost_;
  std::vector<uint32_t> runs_;
  std::vector<uint32_t> times_;  // by run and asset: when the run reads it; kNever
  uint32_t most_moves_;
  uint32_t moves_tried_ = 0;

  std::vector<uint32_t> places_;       // by asset
  std::vector<uint64_t> begin_bytes_;  // by place, and the end
  uint32_t read_end_ = 0;              // past it lie assets that none reads
  std::vector<uint32_t> touched_;      // places that a move matters to
  std::vector<uint32_t> near_times_;
  std::vector<OrderWindow> windows_;
};

}  // namespace seekless
