// What a build says to people.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace seekless {

// Of a build's JSON (schemas/build-result.schema.json): tables of scenarios and packs, and a
// sentence. `explains` adds why each thing was done.
std::string build_text(const nlohmann::ordered_json& build, bool explains);

}  // namespace seekless
