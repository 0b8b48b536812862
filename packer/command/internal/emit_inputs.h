// Reads the inputs of 'seekless emit': an existing layout, or recordings of a folder.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/inputs.h"
#include "packer/drive/profile.h"
#include "packer/layout/layout.h"

namespace seekless {

struct EmitSelection {
  std::string format;
  TraceOptions inputs;
  std::string content;   // the folder to pack
  std::string scenario;  // empty for all scenarios
  std::string drive = kTargetDrive;
  std::vector<std::string> weights;

  void add_to(const Command& command);
};

// Returns the layout if it is the only input. Otherwise it makes a layout of one image from the
// recordings, in which archives are ordinary files.
Result<Layout> read_emitted_layout(const EmitSelection& selection, const Output& answer);

}  // namespace seekless
