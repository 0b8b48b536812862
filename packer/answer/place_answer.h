// Defines the answers of 'place': what was moved or put back, and what loads take before and after.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace seekless {

struct PlacedSeconds {
  std::string name;
  // Seconds for which the drive is busy in the median run, predicted by the model.
  double before_s = 0;
  double after_s = 0;
};

struct PlaceAnswer {
  std::vector<std::string> paths;
  std::string way;  // the method of moving files
  bool is_dry_run = false;
  std::vector<PlacedSeconds> scenarios;
  uint64_t moved_files = 0;
  uint64_t moved_bytes = 0;
};

std::string to_text(const PlaceAnswer& answer);  // the last line has no newline
nlohmann::ordered_json to_json(const PlaceAnswer& answer);

struct PlaceUndoneAnswer {
  std::vector<std::string> paths;
  std::string way;
  uint64_t put_back = 0;  // number of files
};

std::string to_text(const PlaceUndoneAnswer& answer);  // one line, without a newline
nlohmann::ordered_json to_json(const PlaceUndoneAnswer& answer);

}  // namespace seekless
