// Defines the answer of 'init': what a first build file contains.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/project/starter_file.h"

namespace seekless {

struct InitAnswer {
  std::string folder;  // the folder's name as given; "." is the current one
  std::string build_file;
  StarterFile starter;
};

std::string to_text(const InitAnswer& answer);  // the last line has no newline
nlohmann::ordered_json to_json(const InitAnswer& answer);

}  // namespace seekless
