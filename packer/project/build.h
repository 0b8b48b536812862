// The journey in one go: content and recordings into packs, doing again only what has changed since
// the last build. The stages are those that can be run alone; this strings them together, keeps
// what they leave in the state folder, and replaces outputs only when everything has gone well.
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
  bool checks_only = false;           // says what would be done, and writes nothing
  bool reads_all = false;             // trusts no stamp
  bool makes_new_layout = false;      // whatever the lock says
  std::optional<double> patch_price;  // seconds that a MB of patch has to save, for a new layout
  bool prices_updates = false;        // also says what the update would be under other prices
  unsigned threads = 1;
  uint64_t fingerprint = 0;  // of the program, and of files that the plan's options come from
};

// The stages that the caller provides.
struct BuildStages {
  PlanOptions plan;
  // Reads traces; what there is to warn of goes to the last argument.
  std::function<Result<Profile>(const std::vector<std::string>& traces, const Content& content,
                                std::vector<std::string>& warnings)>
      profile;
  // Work of so many bytes begins; the counter is for the bytes that are done. May give null.
  std::function<std::atomic<uint64_t>*(const std::string& what, uint64_t total_bytes)> begin_work;
};

struct PackOutcome {
  PackKind kind = PackKind::common;
  WrittenPack written;  // of one that would have to be written, its name alone
  bool is_written = false;
  std::vector<std::string> reasons;  // why it is written
  std::optional<PatchBytes> patch;
};

struct ZipsOutcome {
  bool is_written = false;
  std::vector<std::string> reasons;       // why they are written
  std::vector<RepackedArchive> archives;  // that were written
};

struct BuildOutcome {
  bool is_changed = false;  // something was written, or would be
  bool is_current = false;  // stamps alone have shown that there was nothing to do: what follows
                            // is empty, and the last outcome holds
  bool is_first = false;
  uint64_t assets = 0;
  uint64_t content_bytes = 0;
  uint64_t files = 0;
  uint64_t traces = 0;
  uint64_t hashed_bytes = 0;
  std::vector<std::string> reasons;
  std::vector<std::string> added;    // assets, sorted
  std::vector<std::string> removed;  // likewise
  std::vector<std::string> changed;  // likewise
  std::vector<LaidScenario> scenarios;
  std::optional<Prediction> prediction;
  std::vector<PackOutcome> packs;
  std::vector<std::string> removed_packs;
  std::optional<PatchForecast> patch;
  std::vector<PricedUpdate> priced;  // the same under other prices, if they were asked for
  ChangeHistory changes;             // what is known of edits
  bool is_relayout_due = false;
  uint64_t new_recordings = 0;  // that the kept layout wasn't made from
  std::optional<RelayoutGain> gain;
  std::optional<ZipsOutcome> zips;
  std::vector<std::string> gone;
  std::vector<std::string> warnings;
};

// Names of files in the state folder.
inline constexpr const char* kStateName = "state";
inline constexpr const char* kLayoutName = "layout.json";
inline constexpr const char* kProfileName = "profile.json";
inline constexpr const char* kLoadsName = "loads.json";  // as shipped, of the same recordings
inline constexpr const char* kOutcomeName = "build.json";

// One build at a time in a state folder: a second one is an error that names the first. Errors:
// those of the stages; inputs that change while they are read are an error that names one, and then
// no output is replaced.
Result<BuildOutcome> run_build(const BuildFile& file, const BuildOptions& options,
                               const BuildStages& stages);

}  // namespace seekless
