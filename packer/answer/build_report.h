// What one run of `seekless build` did and what it is worth: measured values in, a page for people
// (HTML) and a summary for a CI job's page (Markdown) out. Knows nothing of how the values came
// about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/answer/build_answer.h"
#include "packer/answer/report.h"

namespace seekless {

// Where the seconds in BuildReport::results.scenarios are from.
enum class LoadBasis {
  simulated,  // before: recorded runs on the content as it lies; after: the sweep of the packs
  predicted,  // before: likewise; after: as the planner expects the sweep, in seconds only
};

// An asset that takes room in the packs.
struct AssetRoom {
  std::string path;
  uint64_t size_bytes = 0;
  uint32_t copies = 1;  // in how many packs its bytes lie; 1 or more
};

// Counts what players download to get from the locked build to this one.
struct PatchReport {
  uint64_t edited_bytes = 0;   // of assets that are new or changed
  uint64_t grid_bytes = 0;     // in chunks of 1 MiB at fixed places
  uint64_t chunked_bytes = 0;  // in content-defined chunks
};

// Compares a fresh plan with the one that is kept.
struct RelayoutReport {
  double saved_seconds = 0;  // of all scenarios, each times its weight
  uint64_t patch_bytes = 0;  // that it would cost, in content-defined chunks
};

// Keeps how long a scenario's load took after the build before this one.
struct PreviousLoad {
  std::string name;
  double seconds = 0;  // of the same basis
};

// Says what the build had to do. A report that must be the same for the same input leaves it out.
struct BuildWork {
  double seconds = 0;  // on the clock
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
};

struct BuildReport {
  std::string build_file;  // as the user wrote it
  Report results;          // drive, warnings, scenarios, packs, reads, plan
  LoadBasis basis = LoadBasis::simulated;
  std::vector<PreviousLoad> previous = {};  // by name; none on a first build
  std::vector<BuiltPack> built = {};        // of results.packs, in any order; may lack some
  std::vector<std::string> removed_packs = {};
  std::vector<AssetRoom> largest = {};  // all or some assets, in any order: the report sorts them
  std::vector<AssetRoom> most_copied = {};  // likewise, of those with copies
  uint64_t assets = 0;                      // in the content
  uint64_t content_bytes = 0;               // of them, each counted once
  std::optional<PatchReport> patch = {};    // if there was a lock to compare with
  std::optional<RelayoutReport> relayout = {};
  std::optional<BuildWork> work = {};
};

// For a job's page on GitHub or GitLab: GitHub's Markdown without HTML. At most 60,000 bytes; of
// long tables the rows that matter most.
std::string to_markdown(const BuildReport& report);

// In one line, for a status:
// "9 packs (1 written), 533 MB, padding 2.1 %, patch 1.4 MB, 7 loads 17.9 s -> 2.5 s"
std::string to_line(const BuildReport& report);

}  // namespace seekless
