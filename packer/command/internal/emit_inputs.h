// What 'seekless emit' makes an order of: a layout that is there already, or recordings of a
// folder.
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
  std::string content;   // the folder that is packed
  std::string scenario;  // empty: all
  std::string drive = kTargetDrive;
  std::vector<std::string> weights;

  void add_to(const Command& command);
};

// The layout that is the only input; or the recordings' own, of one image, in which archives are
// files as all others.
Result<Layout> read_emitted_layout(const EmitSelection& selection, const Output& answer);

}  // namespace seekless
