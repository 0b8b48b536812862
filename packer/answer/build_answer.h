// The answer of 'build'. It is kept in the state folder as JSON, read back by the next build, and
// told as text, JSON, Markdown and a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/answer/internal/update_costs.h"
#include "packer/drive/load_cost.h"
#include "packer/project/build.h"
#include "packer/verdict/verdict.h"

namespace seekless {

// An output was written, or kept as it was.
enum class OutputFate : uint8_t { written, kept };

struct BuiltScenario {
  std::string name;
  uint32_t runs = 0;                       // recorded
  std::optional<LoadCost> today;           // of the recorded reads on the content as it lies
  std::optional<PredictedLoad> predicted;  // from the packs
};

// The patch of a pack or of a new layout.
struct PatchSizes {
  uint64_t grid_bytes = 0;   // in chunks of 1 MiB at fixed places
  uint64_t chunk_bytes = 0;  // in content-defined chunks
};

struct BuiltPack {
  std::string file;
  std::string kind;  // common, sub, cold
  OutputFate fate = OutputFate::kept;
  std::vector<std::string> reasons;  // why it is written
  uint64_t assets = 0;
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  uint64_t duplicate_bytes = 0;  // saved by holding equal content once
  uint64_t saved_bytes = 0;      // by compression
  uint64_t table_bytes = 0;
  uint64_t padding_bytes = 0;
  uint64_t dead_bytes = 0;  // of earlier builds
  uint64_t blocks = 0;
  std::string id;                   // 16 hexadecimal digits
  std::optional<PatchSizes> patch;  // none without a lock
};

struct BuiltRelayout {
  double saved_s = 0;  // that a new layout would save
  double kept_s = 0;   // that loads take with the one that is kept
  PatchSizes patch;
};

struct BuiltArchive {
  std::string name;
  bool is_repacked = false;
  std::string reason;  // why it isn't
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
  uint64_t entries = 0;
  uint64_t read_entries = 0;
};

struct BuiltZips {
  std::string folder;
  OutputFate fate = OutputFate::kept;
  std::vector<std::string> reasons;  // why they are written
  std::vector<BuiltArchive> archives;
};

struct BuildAnswer {
  std::string build_file;
  bool is_changed = false;  // something was written, or would be
  bool is_checked_only = false;
  double seconds = 0;  // on the clock
  std::string folder;  // of the packs; empty without any
  std::string layout;
  std::string lock;  // empty without any
  // The inputs.
  uint64_t assets = 0;
  uint64_t content_bytes = 0;
  uint64_t files = 0;
  uint64_t traces = 0;
  uint64_t hashed_bytes = 0;
  // The changes of the content since the last build.
  bool is_first = false;
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> changed;
  std::vector<std::string> reasons;  // why there was something to do
  std::vector<BuiltScenario> scenarios;
  std::vector<BuiltPack> packs;
  std::vector<std::string> removed_packs;
  std::optional<UpdateCosts> patch;  // none without a lock
  bool is_relayout_due = false;
  uint64_t new_recordings = 0;  // that the kept layout wasn't made from
  std::optional<BuiltRelayout> relayout;
  std::optional<Prediction> prediction;
  std::optional<Verdict> verdict;
  std::optional<BuiltZips> zips;
  std::vector<std::string> gone;  // paths that recordings read
  std::vector<std::string> warnings;

  uint64_t bytes() const;          // of all packs
  uint64_t written_bytes() const;  // of those that were written
  double padding_share() const;    // of all packs' bytes
  double dead_share() const;
  size_t written_packs() const;
};

// `today`: what the recorded reads of a scenario cost on the content as it lies, by name. `drive`
// is that of players, who update.
BuildAnswer build_answer_of(const BuildFile& file, const BuildOutcome& outcome,
                            const std::map<std::string, LoadCost>& today,
                            const DriveProfile& drive);

// The answer of a build that found nothing to do, where `last` is that of the build before.
BuildAnswer unchanged_since(BuildAnswer last, const BuildFile& file, double seconds);

// A layout that is kept has the reasons and the prices of copies that the build had which made it.
void keep_reasons(const BuildAnswer& before, BuildAnswer& build);

// Tables of scenarios and packs, and a sentence. `explains` adds why each thing was done.
std::string to_text(const BuildAnswer& build, bool explains);

// Follows schemas/results/build.schema.json.
nlohmann::ordered_json to_json(const BuildAnswer& build);
// The only reader of such JSON; none if `text` isn't that.
std::optional<BuildAnswer> read_build_answer(std::string_view text);

}  // namespace seekless
