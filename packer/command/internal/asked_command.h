// Finds the command that the words of a command line ask for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/command/internal/command.h"

namespace seekless {

struct AskedCommand {
  std::string help = {};  // what is printed for --help and the like; then there is nothing to run
  std::string name = {};
  Action run = {};
  bool shows_progress = true;
  std::shared_ptr<const DeclaredTool> tool = {};  // `run` may ask it
};

// `words` are those of main, the program's name first; they needn't outlive the call.
Result<AskedCommand> parse_words(std::vector<const char*> words);

}  // namespace seekless
