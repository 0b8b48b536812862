// Computes, with the planner's code, how long runs take on a drive with a given order of assets,
// and the best order for them.
#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "packer/drive/profile.h"
#include "packer/plan/order.h"
#include "python/src/errors.h"
#include "python/src/module.h"

namespace nb = nanobind;

namespace seekless::python {
namespace {

using Runs = std::vector<std::vector<uint32_t>>;

void check_numbers(const Runs& runs, size_t assets) {
  for (const std::vector<uint32_t>& run : runs)
    for (const uint32_t asset : run)
      if (asset >= assets)
        raise(Error{ErrorKind::usage, "expected numbers of assets below " + std::to_string(assets) +
                                          ", found " + std::to_string(asset)});
}

// Returns the seconds of each run, with an empty cache at the start. Assets missing from `order`
// come last.
std::vector<double> run_seconds(const std::vector<uint64_t>& sizes_bytes,
                                std::vector<uint32_t> order, const Runs& runs,
                                const std::string& drive) {
  const DriveProfile profile = value_or_raise(get_drive(drive));
  check_numbers(runs, sizes_bytes.size());
  check_numbers({order}, sizes_bytes.size());
  const nb::gil_scoped_release released;
  std::vector<bool> is_laid(sizes_bytes.size());
  std::erase_if(order, [&](uint32_t asset) {
    const bool was_laid = is_laid[asset];
    is_laid[asset] = true;
    return was_laid;
  });
  for (uint32_t asset = 0; asset < sizes_bytes.size(); ++asset)
    if (!is_laid[asset]) order.push_back(asset);
  DemandCost cost(profile, {});
  cost.lay(sizes_bytes, order);
  std::vector<double> seconds;
  for (const std::vector<uint32_t>& run : runs) seconds.push_back(cost.run_s(run));
  return seconds;
}

// Returns the order, and the seconds of a run that wasn't used to make it.
std::tuple<std::vector<uint32_t>, double> find_order(const std::vector<uint64_t>& sizes_bytes,
                                                     const Runs& runs, const std::string& drive) {
  const DriveProfile profile = value_or_raise(get_drive(drive));
  check_numbers(runs, sizes_bytes.size());
  const nb::gil_scoped_release released;
  OrderResult result = best_order({sizes_bytes, runs, {}}, profile);
  return {std::move(result.order), result.held_out_s};
}

}  // namespace

void add_costs(nb::module_& module) {
  module.def("run_seconds", run_seconds, nb::arg("sizes_bytes"), nb::arg("order"), nb::arg("runs"),
             nb::arg("drive"));
  module.def("find_order", find_order, nb::arg("sizes_bytes"), nb::arg("runs"), nb::arg("drive"));
}

}  // namespace seekless::python
