// Options of the planner, from the command line and the build file: the command line goes first.
// They are declared from the rows of packer/plan/plan_setting.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/plan/plan_setting.h"
#include "packer/plan/planner.h"

namespace seekless {

// Describes the option of a setting that has one.
OptionText option_text(const PlanSetting& setting);

struct PlannerArguments {
  std::string build_file;
  PlanSettings asked;
  // A file is named from the working folder, those of a build file from its own.
  std::string drive;
  std::map<std::string_view, std::vector<std::string>> texts;  // of settings that aren't one number
  std::optional<Command> command;

  void add_to(const Command& command);
  Result<PlanOptions> options() const;
  // `asked`, with the texts.
  Result<PlanSettings> parsed() const;
  // Here, or in the build file.
  bool names_drive() const;
};

}  // namespace seekless
