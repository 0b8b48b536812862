// Defines the answer of 'apply': which files of a pack set were rewritten, or that the set was
// rolled back.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "packer/patch/apply.h"

namespace seekless {

struct ApplyAnswer {
  std::string old;     // the set that the patch updates
  std::string output;  // folder of the new set; the same as `old` if the new set replaced it
  Applied applied;
  bool is_rolled_back = false;  // true after a rollback; then only the set's id is known
  double seconds = 0;
};

std::string to_text(const ApplyAnswer& answer);  // one line, without a newline
nlohmann::ordered_json to_json(const ApplyAnswer& answer);

}  // namespace seekless
