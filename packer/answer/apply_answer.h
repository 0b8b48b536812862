// The answer of 'apply': which files of a pack set were made anew, or that it is back as it was.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/patch/apply.h"

namespace seekless {

struct ApplyAnswer {
  std::string old;     // the set that the patch is for
  std::string output;  // where the new set is; the same if it replaced the old one
  Applied applied;
  bool is_rolled_back = false;  // only the set's id is known then
  double seconds = 0;
};

std::string to_text(const ApplyAnswer& answer);  // one line, without its end
nlohmann::ordered_json to_json(const ApplyAnswer& answer);

}  // namespace seekless
