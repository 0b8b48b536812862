// Options of the planner, from the command line and the build file: the command line goes first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "packer/command/command.h"
#include "packer/layout/plan_settings.h"
#include "packer/layout/planner.h"

namespace seekless {

// What the build file says to the planner; drives' files that it names lie beside it.
Result<PlanOptions> plan_options_of(PlanSettings settings, const std::string& build_file);

// A drive's file is named from the folder of the build file.
std::string drive_beside(const std::string& name, const std::string& build_file);

struct PlanArguments {
  std::string build_file;
  std::optional<std::string> drive;
  std::optional<double> budget_ratio;
  std::optional<double> gain_s_per_gb;
  std::vector<std::string> weights;
  std::vector<std::string> sessions;
  std::vector<std::string> alignments;
  std::optional<uint64_t> block_bytes;
  bool drop_outliers = false;

  void add_to(CLI::App& command);
  Result<PlanOptions> options() const;
  // Here, or in the build file.
  bool names_drive() const;
};

// Reads texts of the form SCENARIO=WEIGHT.
Result<void> add_weights(const std::vector<std::string>& texts,
                         std::map<std::string, double>& weights);

}  // namespace seekless
