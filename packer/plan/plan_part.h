// Splits planning between several machines. Each does a part of the work that can be done
// separately (the orders of groups of assets, predictions on held-out runs), and a last step merges
// the parts. The parts only save work: the layout is the same as if a single machine had made it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "packer/plan/draft.h"
#include "packer/plan/planner.h"
#include "packer/plan/predict.h"
#include "packer/profile/profile.h"

namespace seekless {

inline constexpr uint32_t kMostPlanParts = 10'000;

// Holds results of planning under the numbers that the planner uses for them.
struct PlanWork {
  GroupOrders orders;
  std::map<uint32_t, std::vector<LoadForecast>> held_out;  // indexed by fold, then by scenario

  bool operator==(const PlanWork&) const = default;
};

struct PlanPart {
  std::string inputs;  // hash_of_inputs of what it was made from
  uint32_t number = 1;
  uint32_t count = 1;
  PlanWork work;
};

// Returns a hash of everything that decides a part's work, and of the program's version.
std::string hash_of_inputs(const Profile& profile, const Content& content,
                           const PlanOptions& options, const std::string& version);

// Does part `number` (from 1) of `count`.
PlanWork plan_part(const Profile& profile, const Content& content, const PlanOptions& options,
                   uint32_t number, uint32_t count);
// Plans as plan_layout does, but takes results from `work`. What `work` lacks, or what can't belong
// to this plan, is computed here.
Plan plan_with(const Profile& profile, const Content& content, const PlanOptions& options,
               const PlanWork& work);

Result<void> write_plan_part(const PlanPart& part, const std::string& path);
// Merges the work of all parts. Errors name the file if it is damaged, has other inputs than
// `inputs`, belongs to another count of parts or is there twice; or they name the missing parts.
Result<PlanWork> read_plan_parts(std::span<const std::string> paths, const std::string& inputs);

}  // namespace seekless
