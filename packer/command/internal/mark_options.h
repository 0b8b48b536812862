// Options --split, --mark and --runs, which every command that reads traces has: scenarios that are
// set after the recording.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/trace/dialect.h"

namespace seekless {

// Where scenarios begin that the recording has no marks for, and which recordings are runs of one.
struct MarkOptions {
  std::vector<std::string> splits;
  std::vector<std::string> marks;
  std::vector<std::string> runs;

  void add_to(const Command& command);
  Result<void> apply_to(ImportOptions& options) const;
};

}  // namespace seekless
