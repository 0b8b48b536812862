// Reads what 'seekless warm' is to read from recordings, layouts and packs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "packer/command/internal/inputs.h"
#include "packer/warm/wanted.h"
#include "packer/warm/warm_files.h"

namespace seekless {

struct WarmSelection {
  TraceOptions inputs;
  std::string scenario;              // empty: all
  std::vector<std::string> content;  // where to look; none: everywhere but among the system's own
  bool takes_all = false;
};

struct WarmInputs {
  Wanted wanted;
  std::set<std::string> left_out;  // read by traces, but not to be warmed
};

// Error: what can't be read, or a scenario that none of them knows.
Result<WarmInputs> read_warm_inputs(const WarmSelection& selection, const Output& output);

// The error if no file of `input` has anything to read.
std::unexpected<Error> nothing_to_read(const std::string& input, const WarmFiles& found,
                                       const std::set<std::string>& left_out);

}  // namespace seekless
