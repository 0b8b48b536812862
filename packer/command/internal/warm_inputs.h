// Finds in recordings, layouts and packs what 'seekless warm' must read.
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
  std::string scenario;  // empty for all scenarios
  // Folders of the files to warm; empty: everything but the system's own files.
  std::vector<std::string> content;
  bool takes_all = false;
};

struct WarmInputs {
  Wanted wanted;
  std::set<std::string> left_out;  // files in the traces that aren't warmed
};

// Returns an error if an input can't be read, or if none of them knows the scenario.
Result<WarmInputs> read_warm_inputs(const WarmSelection& selection, const Output& output);

// Returns the error for an `input` in which no file has anything to read.
std::unexpected<Error> nothing_to_read(const std::string& input, const WarmFiles& found,
                                       const std::set<std::string>& left_out);

}  // namespace seekless
