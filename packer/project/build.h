// Runs a whole build: content and recordings become packs, and only what has changed since the last
// build is done again. The stages can also be run alone. This file connects them, keeps their
// results in the state folder, and replaces outputs only when everything has succeeded.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/keep/change_history.h"
#include "packer/pack/pack_set_writer.h"
#include "packer/plan/planner.h"
#include "packer/profile/profile.h"
#include "packer/project/build_file.h"
#include "packer/project/internal/other_prices.h"
#include "packer/project/internal/relayout_gain.h"
#include "packer/repack/archive_set.h"
#include "packer/update/patch_forecast.h"

namespace seekless {

struct BuildOptions {
  bool checks_only = false;       // says what would be done, and writes nothing
  bool reads_all = false;         // reads everything, even if stamps are unchanged
  bool makes_new_layout = false;  // makes a new layout even if the lock has one
  // Seconds that each MB of patch has to save, for a new layout to be made.
  std::optional<double> patch_price;
  bool prices_updates = false;  // also computes the update under other prices
  unsigned threads = 1;
  uint64_t fingerprint = 0;  // hash of the program, and of files that the plan's options come from
};

// Holds the stages that the caller provides.
struct BuildStages {
  PlanOptions plan;
  // Reads traces, and adds warnings to the last argument.
  std::function<Result<Profile>(const std::vector<std::string>& traces, const Content& content,
                                std::vector<std::string>& warnings)>
      profile;
  // Announces work of `total_bytes`, and returns a counter for the bytes that are done, which may
  // be null.
  std::function<std::atomic<uint64_t>*(const std::string& what, uint64_t total_bytes)> begin_work;
};

struct PackOutcome {
  PackKind kind = PackKind::common;
  WrittenPack written;  // on a check, packs aren't written, so only the name is set
  bool is_written = false;
  std::vector<std::string> reasons;  // the reasons to write it
  std::optional<PatchBytes> patch;
};

struct ZipsOutcome {
  bool is_written = false;
  std::vector<std::string> reasons;       // the reasons to write them
  std::vector<RepackedArchive> archives;  // archives that were written
};

struct BuildOutcome {
  bool is_changed = false;  // true if something was written, or would be
  // Stamps alone have shown that there was nothing to do. Then the members below are empty, and the
  // previous outcome is still valid.
  bool is_current = false;
  bool is_first = false;
  uint64_t assets = 0;
  uint64_t content_bytes = 0;
  uint64_t files = 0;
  uint64_t traces = 0;
  uint64_t hashed_bytes = 0;
  std::vector<std::string> reasons;
  std::vector<std::string> added;    // assets, sorted by path
  std::vector<std::string> removed;  // assets, sorted by path
  std::vector<std::string> changed;  // assets, sorted by path
  std::vector<LaidScenario> scenarios;
  std::optional<Prediction> prediction;
  std::vector<PackOutcome> packs;
  std::vector<std::string> removed_packs;
  std::optional<PatchForecast> patch;
  std::vector<PricedUpdate> priced;  // the same update under other prices, if they were asked for
  ChangeHistory changes;             // history of edits
  bool is_relayout_due = false;
  uint64_t new_recordings = 0;  // number of recordings that the kept layout wasn't made from
  std::optional<RelayoutGain> gain;
  std::optional<ZipsOutcome> zips;
  std::vector<std::string> gone;
  std::vector<std::string> warnings;
};

// Names of files in the state folder.
inline constexpr const char* kStateName = "state";
inline constexpr const char* kLayoutName = "layout.json";
inline constexpr const char* kProfileName = "profile.json";
// Loads as shipped, from the same recordings.
inline constexpr const char* kLoadsName = "loads.json";
inline constexpr const char* kOutcomeName = "build.json";

// Runs the build. Only one build can use a state folder at a time; a second one fails with an error
// that names the first. Returns the errors of the stages. If an input changes while it is read, the
// error names it, and no output is replaced.
Result<BuildOutcome> run_build(const BuildFile& file, const BuildOptions& options,
                               const BuildStages& stages);

}  // namespace seekless
