// The answer of 'init': what the first build file says of its folder.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/project/starter_file.h"

namespace seekless {

struct InitAnswer {
  std::string folder;  // as it was named; "." is the current one
  std::string build_file;
  StarterFile starter;
};

std::string to_text(const InitAnswer& answer);  // without the last line's end
nlohmann::ordered_json to_json(const InitAnswer& answer);

}  // namespace seekless
