// What `seekless place` tells of what it moved, or would move.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/place/place_plan.h"

namespace seekless {

Result<void> tell_placing(const Output& answer, const std::vector<std::string>& paths,
                          const Placing& placing, const std::string& way, bool is_dry);

}  // namespace seekless
