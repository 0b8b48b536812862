// Describes what one run of `seekless build` did and what it is worth. It holds measured values
// from any source, for a page for people (HTML) and a summary for a CI job's page (Markdown).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/answer/build_answer.h"
#include "packer/answer/report.h"

namespace seekless {

// Says where the seconds in BuildReport::results.scenarios come from.
enum class LoadBasis {
  simulated,  // before: recorded runs on the content; after: sweeps of the packs
  predicted,  // before: as simulated; after: the planner's prediction, seconds only
};

// Holds the size of an asset in the packs.
struct AssetRoom {
  std::string path;
  uint64_t size_bytes = 0;
  uint32_t copies = 1;  // number of packs that hold its bytes; 1 or more
};

// Counts what players download to get from the locked build to this one.
struct PatchReport {
  uint64_t edited_bytes = 0;   // size of the assets that are new or changed
  uint64_t grid_bytes = 0;     // size in chunks of 1 MiB at fixed places
  uint64_t chunked_bytes = 0;  // size in content-defined chunks
};

// Compares a fresh plan with the one that is kept.
struct RelayoutReport {
  double saved_seconds = 0;  // seconds saved in all scenarios, each multiplied by its weight
  uint64_t patch_bytes = 0;  // size of the patch to the fresh plan, in content-defined chunks
};

// Holds how long a scenario's load took after the previous build.
struct PreviousLoad {
  std::string name;
  double seconds = 0;  // seconds, known in the same way (LoadBasis)
};

// Says how much the build had to do. A report that must be the same for the same input leaves this
// out.
struct BuildWork {
  double seconds = 0;  // wall-clock time
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
};

struct BuildReport {
  std::string build_file;  // as the user wrote it
  Report results;          // drive, warnings, scenarios, packs, reads, plan
  LoadBasis basis = LoadBasis::simulated;
  std::vector<PreviousLoad> previous = {};  // sorted by name; none on a first build
  // Packs of results.packs, in any order; some may be missing.
  std::vector<BuiltPack> built = {};
  std::vector<std::string> removed_packs = {};
  std::vector<AssetRoom> largest = {};  // all or some assets, in any order: the report sorts them
  std::vector<AssetRoom> most_copied = {};  // assets with copies, in any order
  uint64_t assets = 0;                      // number of assets in the content
  uint64_t content_bytes = 0;               // size of the assets, each counted once
  std::optional<PatchReport> patch = {};    // none without a lock to compare with
  std::optional<RelayoutReport> relayout = {};
  std::optional<BuildWork> work = {};
};

// Returns a summary for a job's page on GitHub or GitLab, in GitHub's Markdown without HTML. It has
// at most 60,000 bytes; long tables are cut to the rows that matter most.
std::string to_markdown(const BuildReport& report);

// Returns one line for a status: "9 packs (1 written), 533 MB, padding 2.1 %, patch 1.4 MB, 7 loads
// 17.9 s -> 2.5 s"
std::string to_line(const BuildReport& report);

}  // namespace seekless
