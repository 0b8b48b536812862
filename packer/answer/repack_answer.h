// Defines the answer of 'repack': what was done with each archive or with an overlay, and the gain.
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

// Describes the overlay that was written, or would be.
struct OverlayOutcome {
  std::string path;
  size_t entries = 0;
  uint64_t copied_bytes = 0;  // bytes of their data, as stored in the archives that they come from
  bool replaces = false;      // true if it replaces an earlier overlay
  std::map<std::string, Told> left_out;
  std::optional<OverlayReport> report = {};  // none on a dry run
};

// Describes what a run has done, or would do.
struct RepackOutcome {
  std::vector<RepackedArchive> archives;
  std::string output;  // folder of the new archives; empty if there is none
  bool is_in_place = false;
  bool is_dry_run = false;
  bool is_verified = false;
  uint64_t loose_files = 0;                      // number of loose files, which aren't copied
  std::optional<uint64_t> originals_bytes = {};  // size of the originals kept by --in-place
  double seconds = 0;
  std::optional<OverlayOutcome> overlay = {};
};

struct RepackAnswer {
  RepackOutcome outcome;
  const Verdict& verdict;
  const std::optional<RepackForecast>& forecast;  // none without recordings
};

// Prints the part below the verdict: a line for each archive, their totals, a table of loads, and
// notes. Lines of the table have at most `columns` characters, which is at least 80. The last line
// has no newline.
std::string to_text(const RepackAnswer& answer, size_t columns, bool is_verbose);
std::vector<std::string> warnings_of(const RepackAnswer& answer);
nlohmann::ordered_json to_json(const RepackAnswer& answer);

}  // namespace seekless
