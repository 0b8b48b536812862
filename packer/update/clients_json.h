// What clients do for an update, as JSON, the same wherever it is told: in
// schemas/update.schema.json.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/update/clients.h"

namespace seekless {

// {drive, grid, chunks, apply, blocks}; of each client what it downloads, reads, writes, ...
nlohmann::ordered_json to_json(const ClientCosts& costs, const std::string& drive);
// Throws the library's exception if the JSON isn't such.
ClientCosts client_costs_of(const nlohmann::ordered_json& json);

}  // namespace seekless
