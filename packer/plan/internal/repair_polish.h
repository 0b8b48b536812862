// Polishes an order of many assets by moving short stretches to places that jumps suggest. Each
// move is judged by the gaps between the reads near it, so a round's time depends on the number of
// moves, not of reads. All moves of a round are then judged together by whole runs. Pure.
#pragma once

#include <vector>

#include "packer/plan/internal/demand_cost.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

class RepairPolish {
 public:
  // All arguments must outlive it. If there are many runs, a sample is used. One round tries at
  // most `most_moves` moves.
  RepairPolish(const RunSet& set, Runs runs, DemandCost& cost, uint32_t most_moves);

  // Changes `order` so that the runs read faster. Returns false, and changes nothing, if no move
  // helps. Too many rounds overfit, so the caller should test on other runs when to stop.
  bool improve(Order& order);

 private:
  struct Jump {
    uint32_t from;  // the asset read before the jump
    uint32_t to;
    double weight;
  };
  // Exchanges the neighbouring stretches of places [begin, middle) and [middle, end).
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
  std::vector<uint32_t> times_;  // indexed by run and asset: when the run reads it, or kNever
  uint32_t most_moves_;
  uint32_t moves_tried_ = 0;

  std::vector<uint32_t> places_;       // indexed by asset
  std::vector<uint64_t> begin_bytes_;  // indexed by place, with one more for the end
  uint32_t read_end_ = 0;              // assets from this place on are read by no run
  std::vector<uint32_t> touched_;      // places that a move affects
  std::vector<uint32_t> near_times_;
  std::vector<OrderWindow> windows_;
};

}  // namespace seekless
