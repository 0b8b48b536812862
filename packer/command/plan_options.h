// Options of the planner, from the command line and the build file: the command line goes first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "packer/command/command.h"
#include "packer/layout/planner.h"

namespace seekless {

struct PlanArguments {
  std::string build_file;
  std::string drive = "wd-black-1tb";
  std::optional<double> budget_ratio;
  std::optional<double> gain_s_per_gb;
  std::vector<std::string> weights;
  std::vector<std::string> sessions;
  std::vector<std::string> alignments;
  uint64_t block_bytes = kDefaultLayoutBlockBytes;
  bool drop_outliers = false;

  void add_to(CLI::App& command);
  Result<PlanOptions> options() const;
};

// Reads texts of the form SCENARIO=WEIGHT.
Result<void> add_weights(const std::vector<std::string>& texts,
                         std::map<std::string, double>& weights);

}  // namespace seekless
