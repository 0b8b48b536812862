// Defines the answer of 'doctor': what works on this machine, what doesn't, and what to do.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/checkup/checkup.h"

namespace seekless {

// Returns one sentence: which commands work, and whether the folder's drive seeks.
std::string verdict_of(const Checkup& checkup);
// Prints the verdict, and a line for each trial. The last line has no newline.
std::string to_text(const Checkup& checkup);
nlohmann::ordered_json to_json(const Checkup& checkup);

}  // namespace seekless
