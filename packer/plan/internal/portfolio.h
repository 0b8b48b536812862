// Holds the methods that compete for a scenario's order. Pure.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "packer/plan/internal/demand_cost.h"
#include "packer/plan/internal/read_costs.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

class Portfolio {
 public:
  // Lists the methods from the simplest on; of two equally good ones, the simpler is preferred.
  // Number 0 is "first-seen".
  static std::span<const std::string_view> methods();
  // Returns the number of a method that is rarely far from the best.
  static size_t usual_method();

  // All arguments must outlive this object, and `runs` must not be empty. Going back by up to
  // `near_bytes` costs no jump.
  Portfolio(const RunSet& set, Runs runs, const ReadCosts& costs, uint64_t near_bytes,
            DemandCost& cost)
      : set_(set), runs_(runs), costs_(costs), near_bytes_(near_bytes), cost_(cost) {}

  // `method` is a number in `methods`.
  Order make(size_t method);
  std::vector<Order> make_all();

 private:
  const Order& medoid();
  const Order& aligned();
  const Order& precedence();
  Order strays_last(const Order& order) const;

  const RunSet& set_;
  Runs runs_;
  const ReadCosts& costs_;
  uint64_t near_bytes_;
  DemandCost& cost_;
  // Several methods start from these orders. Each is empty until first used.
  Order medoid_, aligned_, precedence_;
};

}  // namespace seekless
