// Defines the answer of 'restore': what was done with the originals that 'repack --in-place' kept.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/repack/originals.h"

namespace seekless {

struct RestoreAnswer {
  std::string folder;
  RestoreReport report;
  std::vector<std::string> overlays;  // overlays that were deleted
  bool is_discard = false;            // true if originals were deleted instead of restored
  KeptOriginals discarded;
};

std::string to_text(const RestoreAnswer& answer);  // the last line has no newline
nlohmann::ordered_json to_json(const RestoreAnswer& answer);

}  // namespace seekless
