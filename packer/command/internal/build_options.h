// The options of build.
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
  std::optional<double> most_update_gb;  // that players may have to write
  std::string output;                    // folder of the packs, instead of the build file's
  StepOptions step;
  Output answer;

  void add_to(const Command& command);
  // The build file, with what the command line says of its outputs.
  Result<BuildFile> read_file() const;
};

}  // namespace seekless
