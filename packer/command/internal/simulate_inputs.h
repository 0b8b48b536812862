// Makes the simulator that 'seekless simulate' asks for, and reads its recordings.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/inputs.h"
#include "packer/simulate/simulator.h"

namespace seekless {

struct SimulateArguments {
  TraceOptions traces;  // a layout or a pack set may come first
  ContentOptions content;
  DriveOptions drives;
  std::string policy = "sweep";
  bool policy_given = false;
  std::string pauses = "none";
  Output answer;
};

// Takes packs in front of the traces away from `traces`. Error: what can't be read, arguments that
// don't fit together.
Result<Simulator> make_simulator(const SimulateArguments& arguments, TraceOptions& traces);

// Gives it all recordings. What doesn't only concern one of them is added to `warnings`, too.
Result<void> read_recordings(const TraceOptions& traces, Simulator& simulator, const Output& output,
                             std::vector<std::string>& warnings);

}  // namespace seekless
