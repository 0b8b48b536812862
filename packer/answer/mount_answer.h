// Defines the answer of 'mount'. The process that serves the folder passes it on as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace seekless {

struct MountAnswer {
  std::string set;
  std::string folder;  // the folder that shows the packs
  uint64_t files = 0;
  uint64_t bytes = 0;  // size of all files
  uint64_t scenarios = 0;
  uint64_t left_out = 0;  // number of files whose names no folder can have
  uint64_t scenarios_left_out = 0;
};

std::string to_text(const MountAnswer& answer);  // one line, without a newline
std::vector<std::string> warnings_of(const MountAnswer& answer);
nlohmann::ordered_json to_json(const MountAnswer& answer);
// Reads the answer back. Throws an exception of the JSON library if the JSON isn't such an answer.
MountAnswer mount_answer_of(const nlohmann::ordered_json& json);

}  // namespace seekless
