// Defines the answer of 'build'. It is kept in the state folder as JSON, which the next build reads
// back, and is shown as text, JSON, Markdown and a page.
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

// Tells if an output was written, or kept as it was.
enum class OutputFate : uint8_t { written, kept };

struct BuiltScenario {
  std::string name;
  uint32_t runs = 0;                       // number of recorded runs
  std::optional<LoadCost> today;           // cost of the recorded reads on today's content
  std::optional<PredictedLoad> predicted;  // cost of loading from the packs
};

// Holds the size of a patch for a pack or for a new layout.
struct PatchSizes {
  uint64_t grid_bytes = 0;   // size in chunks of 1 MiB at fixed places
  uint64_t chunk_bytes = 0;  // size in content-defined chunks
};

struct BuiltPack {
  std::string file;
  std::string kind;  // common, sub, cold
  OutputFate fate = OutputFate::kept;
  std::vector<std::string> reasons;  // the reasons to write it
  uint64_t assets = 0;
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  uint64_t duplicate_bytes = 0;  // saved by storing equal content once
  uint64_t saved_bytes = 0;      // saved by compression
  uint64_t table_bytes = 0;
  uint64_t padding_bytes = 0;
  uint64_t dead_bytes = 0;  // bytes that only earlier builds used
  uint64_t blocks = 0;
  std::string id;                   // 16 hexadecimal digits
  std::optional<PatchSizes> patch;  // empty if there is no lock
};

struct BuiltRelayout {
  double saved_s = 0;  // seconds that a new layout would save
  double kept_s = 0;   // seconds that loads take with the kept layout
  PatchSizes patch;
};

struct BuiltArchive {
  std::string name;
  bool is_repacked = false;
  std::string reason;  // the reason why it isn't repacked
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
  uint64_t entries = 0;
  uint64_t read_entries = 0;
};

struct BuiltZips {
  std::string folder;
  OutputFate fate = OutputFate::kept;
  std::vector<std::string> reasons;  // the reasons to write them
  std::vector<BuiltArchive> archives;
};

struct BuildAnswer {
  std::string build_file;
  bool is_changed = false;  // true if something was written, or would be
  bool is_checked_only = false;
  double seconds = 0;  // wall-clock time
  std::string folder;  // folder of the packs; empty if there are no packs
  std::string layout;
  std::string lock;  // path of the lock; empty if there is none
  // Inputs.
  uint64_t assets = 0;
  uint64_t content_bytes = 0;
  uint64_t files = 0;
  uint64_t traces = 0;
  uint64_t hashed_bytes = 0;
  // Changes of the content since the last build.
  bool is_first = false;
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> changed;
  std::vector<std::string> reasons;  // the reasons why there was something to do
  std::vector<BuiltScenario> scenarios;
  std::vector<BuiltPack> packs;
  std::vector<std::string> removed_packs;
  std::optional<UpdateCosts> patch;  // empty if there is no lock
  bool is_relayout_due = false;
  uint64_t new_recordings = 0;  // number of recordings that the kept layout wasn't made from
  std::optional<BuiltRelayout> relayout;
  std::optional<Prediction> prediction;
  std::optional<Verdict> verdict;
  std::optional<BuiltZips> zips;
  std::vector<std::string> gone;  // paths that recordings read and the content lacks
  std::vector<std::string> warnings;

  uint64_t bytes() const;          // size of all packs
  uint64_t written_bytes() const;  // size of the packs that were written
  double padding_share() const;    // padding as a share of all packs' bytes
  double dead_share() const;
  size_t written_packs() const;
};

// Makes the answer of a build. `today` maps each scenario's name to the cost of its recorded reads
// on the content in its present places. `drive` is the players' drive, on which updates are priced.
BuildAnswer build_answer_of(const BuildFile& file, const BuildOutcome& outcome,
                            const std::map<std::string, LoadCost>& today,
                            const DriveProfile& drive);

// Returns the answer of a build that found nothing to do; `last` is the answer of the build before.
BuildAnswer unchanged_since(BuildAnswer last, const BuildFile& file, double seconds);

// Copies the reasons and the prices of copies from `before` if the layout was kept: only the build
// that made the layout computed them.
void keep_reasons(const BuildAnswer& before, BuildAnswer& build);

// Prints tables of scenarios and packs, and a sentence. `explains` adds the reason for each write.
std::string to_text(const BuildAnswer& build, bool explains);

// Returns JSON that follows schemas/results/build.schema.json.
nlohmann::ordered_json to_json(const BuildAnswer& build);
// Reads back the text of to_json(). Returns none for any other text.
std::optional<BuildAnswer> read_build_answer(std::string_view text);

}  // namespace seekless
