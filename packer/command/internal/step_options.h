// Options with which a command is a step of a build system: --depfile tells it what was read,
// --stamp gives it a file whose time says when the step was last done.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command.h"

namespace seekless {

struct StepOptions {
  std::string depfile;
  std::string stamp;

  void add_to(const Command& command);
  // Returns true if the command must find out what it reads.
  bool wants_inputs() const { return !depfile.empty(); }
  // To be called last, when all is done. `output` is what the step is known by if there is no
  // stamp; `inputs` are files that were read, and folders in which names were looked up.
  Result<void> finish(const std::string& output, const std::vector<std::string>& inputs,
                      const Output& answer) const;
};

}  // namespace seekless
