// Makes the simulator that 'seekless simulate' asks for, and reads its recordings.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/inputs.h"
#include "packer/simulate/simulator.h"

namespace seekless {

struct SimulateArguments {
  TraceOptions traces;  // traces; a layout or a pack set may come first
  ContentOptions content;
  DriveOptions drives;
  std::string policy = "sweep";
  bool policy_given = false;
  std::string pauses = "none";
  Output answer;
};

// Makes the simulator. Removes packs or a layout in front of the traces from `traces`. Returns an
// error if something can't be read, or if arguments contradict each other.
Result<Simulator> make_simulator(const SimulateArguments& arguments, TraceOptions& traces);

// Feeds all recordings to the simulator. Warnings that concern more than one recording are also
// added to `warnings`.
Result<void> read_recordings(const TraceOptions& traces, Simulator& simulator, const Output& output,
                             std::vector<std::string>& warnings);

}  // namespace seekless
