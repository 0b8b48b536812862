// Declares the options that make a command a step of a build system: --depfile lists the files that
// were read, and the time of the --stamp file tells when the step was last done.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command.h"

namespace seekless {

struct StepOptions {
  std::string depfile;
  std::string stamp;

  void add_to(const Command& command);
  // Returns true if the command must keep track of the files it reads.
  bool wants_inputs() const { return !depfile.empty(); }
  // Writes both files; call it last, when everything is done. If there is no stamp, the step's
  // target is `output`. `inputs` are files that were read, and folders that were searched.
  Result<void> finish(const std::string& output, const std::vector<std::string>& inputs,
                      const Output& answer) const;
};

}  // namespace seekless
