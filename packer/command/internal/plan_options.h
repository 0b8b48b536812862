// Options of the planner, from the command line and the build file: the command line goes first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/plan/plan_settings.h"
#include "packer/plan/planner.h"

namespace seekless {

struct PlannerArguments {
  std::string build_file;
  PlanSettings asked;
  // A file is named from the working folder, those of a build file from its own.
  std::optional<std::string> drive;
  std::vector<std::string> weights;  // texts of plan_texts.h, as the next two
  std::vector<std::string> sessions;
  std::vector<std::string> alignments;

  void add_to(const Command& command);
  Result<PlanOptions> options() const;
  // `asked`, with the texts.
  Result<PlanSettings> parsed() const;
  // Here, or in the build file.
  bool names_drive() const;
};

}  // namespace seekless
