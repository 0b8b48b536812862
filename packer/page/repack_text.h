// What repacking would win, and what became of each archive, for people and machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/repack/archive_set.h"
#include "packer/repack/forecast.h"

namespace seekless {

// A table of at most `columns` characters a line, 80 or more, and notes.
std::string to_text(const RepackForecast& forecast, size_t columns);
nlohmann::ordered_json to_json(const RepackForecast& forecast);

// What a run has done, or would do.
struct RepackOutcome {
  std::vector<RepackedArchive> archives;
  std::string output;  // folder of the new archives; empty where there is none
  bool is_in_place = false;
  bool is_dry_run = false;
  bool is_verified = false;
  uint64_t loose_files = 0;                      // that aren't copied
  std::optional<uint64_t> originals_bytes = {};  // that are kept, in place
  double seconds = 0;
};

// A line for each archive, and what they come to; no line end at the end.
std::string to_text(const RepackOutcome& outcome);
nlohmann::ordered_json to_json(const RepackOutcome& outcome);

}  // namespace seekless
