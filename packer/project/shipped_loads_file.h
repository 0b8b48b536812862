// Stores the loads as shipped in the state folder, beside the profile. They are computed when
// traces are read, which later builds needn't do.
#pragma once

#include "packer/base/error.h"
#include "packer/project/build_file.h"
#include "packer/simulate/shipped_loads.h"

namespace seekless {

Result<void> write_shipped_loads(const ShippedLoads& shipped, const BuildFile& file);
// Returns no loads if they can't be read.
ShippedLoads read_shipped_loads(const BuildFile& file);

}  // namespace seekless
