// Loads a scenario from packs with the runtime itself, and times the load: the sweep, and then the
// assets that the sweep doesn't read.
#pragma once

#include <span>
#include <string>

#include "packer/base/error.h"

namespace seekless {

// Returns the seconds from mounting the packs to the last asset.
Result<double> time_sweep(const std::string& folder, const std::string& scenario,
                          std::span<const std::string> assets);

}  // namespace seekless
