// Explains in words why a layout is as it is, and how to get a better one. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/plan/internal/read_costs.h"
#include "packer/plan/internal/seldom_read.h"
#include "packer/plan/internal/typical.h"
#include "packer/plan/needs.h"
#include "packer/profile/profile.h"

namespace seekless {

// Names a run that reads other things than the other runs of its scenario, by indices in the
// profile.
struct OutlierRun {
  uint32_t scenario = 0;
  uint32_t run = 0;
};

struct ReasonsInput {
  const Content& content;
  uint64_t content_bytes;  // size of the content without excluded assets
  const Profile& profile;
  const Layout& layout;
  const Prediction& prediction;  // complete except for the reasons
  const ReadCosts& costs;
  double gain_s_per_gb;
  std::optional<double> budget_ratio;
  const Needs& needs;
  const std::vector<OutlierRun>& outliers;
  const std::vector<SeldomRead>& seldom;
  const Typical& typical;
};

// Returns a paragraph of text.
std::string explain(const ReasonsInput& input);

}  // namespace seekless
