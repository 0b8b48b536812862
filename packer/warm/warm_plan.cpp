#include "packer/warm/warm_plan.h"

#include <utility>

#include "packer/drive/drive.h"

namespace seekless {

WarmPlan plan_warm(Wanted wanted, const DriveProfile& drive) {
  Wanted by_file = with_one_name_each(std::move(wanted));
  WarmPlan plan = {.files = find_files(by_file.paths()), .reads = {}};
  plan.reads =
      plan_sweep(plan.files.files, by_file.take_ranges(), Drive(drive).break_even_gap_bytes(0));
  return plan;
}

}  // namespace seekless
