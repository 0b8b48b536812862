// Releases as bars: what is edited, and what clients that make files anew write.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace seekless {

// A section of the page, of releases as in schemas/update.schema.json; of many the latest ones.
std::string releases_chart(const nlohmann::ordered_json& releases);

}  // namespace seekless
