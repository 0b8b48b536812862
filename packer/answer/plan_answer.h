// Defines the answer of 'plan': a layout, and its predictions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/plan/equal_assets.h"
#include "packer/plan/planner.h"
#include "packer/verdict/verdict.h"

namespace seekless {

struct PlanAnswer {
  std::string layout;  // path of the layout file
  const Content& content;
  const std::vector<uint32_t>& same_as;  // indexed by asset: the first asset with the same content
  const EqualContent& equal;
  const Plan& plan;
  const Verdict& verdict;
};

// Prints the verdict, a table of loads, and notes. `is_verbose` adds the packs, the cost of copies,
// and the reasons for the layout. Lines have at most `columns` characters, which is at least 80.
// The last line has no newline.
std::string to_text(const PlanAnswer& answer, size_t columns, bool is_verbose);
// Returns JSON that follows schemas/results/plan.schema.json.
nlohmann::ordered_json to_json(const PlanAnswer& answer);

}  // namespace seekless
