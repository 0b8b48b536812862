// What clients do for an update, for a terminal.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace seekless {

// A table of the clients; `clients` is as in schemas/update.schema.json.
std::string update_table(const nlohmann::ordered_json& clients, size_t columns);

}  // namespace seekless
