// The answer of 'verify': the damage that was found in packs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/pack/verify.h"

namespace seekless {

// The damage that is listed, one a line, without the last line's end; empty if there is none.
std::string damages_text(const VerifyReport& report);
// "2 packs, 90 assets, 3.2 MB"
std::string checked_text(const VerifyReport& report);
nlohmann::ordered_json to_json(const VerifyReport& report);

}  // namespace seekless
