// Planning on several machines: each does a part of the work that can be done apart (the orders of
// groups of assets, predictions held out), and the last step puts the parts together. The parts
// only save work: the layout is the one that a single machine makes.
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

// What was worked out, by the numbers that the planner has for it.
struct PlanWork {
  GroupOrders orders;
  std::map<uint32_t, std::vector<LoadForecast>> held_out;  // by fold, then by scenario

  bool operator==(const PlanWork&) const = default;
};

struct PlanPart {
  std::string inputs;  // hash_of_inputs of what it was made of
  uint32_t number = 1;
  uint32_t count = 1;
  PlanWork work;
};

// Of all that decides what a part's work is, and of the program's version.
std::string hash_of_inputs(const Profile& profile, const Content& content,
                           const PlanOptions& options, const std::string& version);

// Part `number` (from 1) of `count`.
PlanWork plan_part(const Profile& profile, const Content& content, const PlanOptions& options,
                   uint32_t number, uint32_t count);
// As plan_layout. What `work` lacks, or what can't be of this plan, is worked out here.
Plan plan_with(const Profile& profile, const Content& content, const PlanOptions& options,
               const PlanWork& work);

Result<void> write_plan_part(const PlanPart& part, const std::string& path);
// The work of all parts together. Errors name the file: damaged, of other inputs than `inputs`, one
// of another count, one that is there twice, and which are missing.
Result<PlanWork> read_plan_parts(std::span<const std::string> paths, const std::string& inputs);

}  // namespace seekless
