// Declares the options --split, --mark and --runs of every command that reads traces. They define
// scenarios after the recording was made.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/trace/dialect.h"

namespace seekless {

// Says where scenarios without marks in the recording begin, and which recordings are runs of the
// same scenario.
struct MarkOptions {
  std::vector<std::string> splits;
  std::vector<std::string> marks;
  std::vector<std::string> runs;

  void add_to(const Command& command);
  Result<void> apply_to(ImportOptions& options) const;
};

}  // namespace seekless
