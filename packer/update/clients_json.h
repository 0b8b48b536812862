// Writes the cost of an update for clients as JSON, for all commands that report it:
// schemas/update.schema.json describes it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/update/clients.h"

namespace seekless {

// Returns {drive, grid, chunks, apply, blocks}: for each client, bytes downloaded, read and
// written, and so on.
nlohmann::ordered_json to_json(const ClientCosts& costs, const std::string& drive);
// Throws the library's exception if the JSON has another form.
ClientCosts client_costs_of(const nlohmann::ordered_json& json);

}  // namespace seekless
