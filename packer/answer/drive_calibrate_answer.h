// The answer of 'drive calibrate': the drive's profile, and how well it fits what was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/calibrate/calibrate.h"

namespace seekless {

struct CalibrateAnswer {
  std::string device;
  bool is_file = false;
  std::string output;                   // the profile's file
  std::optional<uint64_t> pieces = {};  // that a file lies in on its drive, where that is known
  Calibration found;
};

// The profile, how well it fits, and what was read for it; the last line without its end.
std::string to_text(const CalibrateAnswer& answer);
nlohmann::ordered_json to_json(const CalibrateAnswer& answer);

}  // namespace seekless
