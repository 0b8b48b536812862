// Defines the answer of 'emit': what the list for another packer contains, and what it can't
// express.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/emit/format.h"

namespace seekless {

struct EmitAnswer {
  std::string output;  // path of the list; "-" is standard output
  std::string folder;  // the folder that is packed
  const EmitFormat& format;
  const FileOrder& order;
  const Emission& emission;
};

std::string to_text(const EmitAnswer& answer);  // the last line has no newline
std::vector<std::string> warnings_of(const EmitAnswer& answer);
nlohmann::ordered_json to_json(const EmitAnswer& answer);

}  // namespace seekless
