// Finds the command that the words of a command line ask for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/command/internal/command.h"

namespace seekless {

struct AskedCommand {
  // The text printed for --help and the like; if it is set, there is nothing to run.
  std::string help = {};
  std::string name = {};
  Action run = {};
  bool shows_progress = true;
  std::shared_ptr<const DeclaredTool> tool = {};  // kept alive because `run` uses it
};

// Parses `words`, the arguments of main with the program's name first. They needn't outlive the
// call.
Result<AskedCommand> parse_words(std::vector<const char*> words);

}  // namespace seekless
