// The answer of 'repack': what became of each archive or of an overlay, and what that gains.
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
#include "packer/verdict/verdict.h"

namespace seekless {

// Holds what became of an overlay.
struct OverlayOutcome {
  std::string path;
  size_t entries = 0;
  uint64_t copied_bytes = 0;  // of their data in the archives that they come from
  bool replaces = false;      // an earlier one
  std::map<std::string, Told> left_out;
  std::optional<OverlayReport> report = {};  // none of a dry run
};

// Holds what a run has done, or would do.
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

struct RepackAnswer {
  RepackOutcome outcome;
  const Verdict& verdict;
  const std::optional<RepackForecast>& forecast;  // none without recordings
};

// After the verdict: a line for each archive, what they come to, a table of loads, and notes. Lines
// of the table have at most `columns` characters, 80 or more; without the last line's end.
std::string to_text(const RepackAnswer& answer, size_t columns, bool is_verbose);
std::vector<std::string> warnings_of(const RepackAnswer& answer);
nlohmann::ordered_json to_json(const RepackAnswer& answer);

}  // namespace seekless
