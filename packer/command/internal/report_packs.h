// Adds a pack set to a report: its packs, and what each scenario's sweep reads from them.
#pragma once

#include <string>

#include "packer/answer/report.h"
#include "packer/base/error.h"

namespace seekless {

// Adds the packs and their scenarios' reads, from the catalog and the packs' tables. Returns an
// error for a single pack, and the runtime's error for a damaged set.
Result<void> add_packs(const std::string& set, Report& report);

}  // namespace seekless
