// Defines the answer of 'extract': how many assets were written as files.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/pack/unpack.h"

namespace seekless {

struct ExtractAnswer {
  std::string folder;
  Unpacked unpacked;
};

std::string to_text(const ExtractAnswer& answer);  // one line, without a newline
nlohmann::ordered_json to_json(const ExtractAnswer& answer);

}  // namespace seekless
