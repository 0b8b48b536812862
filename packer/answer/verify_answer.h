// Defines the answer of 'verify': the damage that was found in packs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/pack/verify.h"

namespace seekless {

// Lists the damage, one line for each; the last line has no newline. Returns an empty text if there
// is none.
std::string damages_text(const VerifyReport& report);
// Returns a text such as "2 packs, 90 assets, 3.2 MB".
std::string checked_text(const VerifyReport& report);
nlohmann::ordered_json to_json(const VerifyReport& report);

}  // namespace seekless
