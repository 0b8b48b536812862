// What repacking would win, and what became of each archive, for people and machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/repack/archive_set.h"
#include "packer/repack/forecast.h"
#include "packer/repack/overlay_zip.h"

namespace seekless {

// A table of at most `columns` characters a line, 80 or more, and notes.
std::string to_text(const RepackForecast& forecast, size_t columns);
nlohmann::ordered_json to_json(const RepackForecast& forecast);

// What became of an overlay.
struct OverlayOutcome {
  std::string path;
  size_t entries = 0;
  uint64_t copied_bytes = 0;  // of their data in the archives that they come from
  bool replaces = false;      // an earlier one
  std::map<std::string, Told> left_out;
  std::optional<OverlayReport> report = {};  // none of a dry run
};

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
  std::optional<OverlayOutcome> overlay = {};
};

// A line for each archive, and what they come to; no line end at the end.
std::string to_text(const RepackOutcome& outcome);
nlohmann::ordered_json to_json(const RepackOutcome& outcome);

}  // namespace seekless
