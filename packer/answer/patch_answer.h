// Defines the answer of 'patch': how large the patch is, and where its bytes come from.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/patch/patch_writer.h"

namespace seekless {

struct PatchAnswer {
  std::string patch;  // path of the patch file
  uint64_t old_id = 0;
  uint64_t new_id = 0;
  WrittenPatch written;
  double seconds = 0;
};

std::string to_text(const PatchAnswer& answer);  // the last line has no newline
nlohmann::ordered_json to_json(const PatchAnswer& answer);

}  // namespace seekless
