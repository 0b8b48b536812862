// Declares the planner's options, which come from the command line and the build file. The command
// line wins. They are declared from the rows of packer/plan/plan_setting.h.
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

// Describes the command-line option of a setting that has one.
OptionText option_text(const PlanSetting& setting);

struct PlannerArguments {
  std::string build_file;
  PlanSettings asked;
  // Paths on the command line are relative to the working folder, paths in a build file to that
  // file.
  std::string drive;
  // Values of settings that aren't a single number.
  std::map<std::string_view, std::vector<std::string>> texts;
  std::optional<Command> command;

  void add_to(const Command& command);
  Result<PlanOptions> options() const;
  // Returns `asked`, completed with the parsed texts.
  Result<PlanSettings> parsed() const;
  // Returns true if the command line or the build file names a drive.
  bool names_drive() const;
};

}  // namespace seekless
