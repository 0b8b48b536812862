// The answer of 'restore': what became of the originals that 'repack --in-place' kept.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/repack/originals.h"

namespace seekless {

struct RestoreAnswer {
  std::string folder;
  RestoreReport report;
  std::vector<std::string> overlays;  // that were deleted
  bool is_discard = false;            // originals were dropped, and nothing was brought back
  KeptOriginals discarded;
};

std::string to_text(const RestoreAnswer& answer);  // without the last line's end
nlohmann::ordered_json to_json(const RestoreAnswer& answer);

}  // namespace seekless
