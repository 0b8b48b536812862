// Declares the options of 'seekless build'.
#pragma once

#include <optional>
#include <string>

#include "packer/command/internal/command.h"
#include "packer/command/internal/step_options.h"
#include "packer/project/build.h"
#include "packer/project/build_file.h"

namespace seekless {

struct BuildArguments {
  std::string build_file = kBuildFileName;
  std::string layout;
  BuildOptions options;
  bool explains = false;
  unsigned threads = 0;
  std::optional<double> most_update_gb;  // the most that players may have to write
  std::string output;                    // folder of the packs, which overrides the build file's
  StepOptions step;
  Output answer;

  void add_to(const Command& command);
  // Reads the build file, with the outputs that the command line sets.
  Result<BuildFile> read_file() const;
};

}  // namespace seekless
