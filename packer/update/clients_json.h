// What clients do for an update, as JSON, the same wherever it is told: in
// schemas/update.schema.json.
#pragma once

#include <nlohmann/json.hpp>

#include "packer/update/clients.h"

namespace seekless {

// {drive, grid, chunks, apply, blocks}; of each client what it downloads, reads, writes, ...
nlohmann::ordered_json to_json(const ClientCosts& costs, const DriveProfile& drive);

}  // namespace seekless
