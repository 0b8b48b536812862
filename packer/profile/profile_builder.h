// Turns traces into a profile: finds the assets that each read touches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/directory_search.h"
#include "packer/content/locator.h"
#include "packer/content/page_reads.h"
#include "packer/content/read_coverage.h"
#include "packer/profile/profile.h"
#include "packer/trace/event.h"
#include "packer/trace/run_times.h"
#include "packer/trace/runs.h"

namespace seekless {

// Tells how much of one trace could be mapped to the content.
struct Mapping {
  uint64_t read_bytes = 0;
  uint64_t asset_bytes = 0;      // data and local headers of assets
  uint64_t directory_bytes = 0;  // central directories
  uint64_t shadowed_bytes = 0;   // data of entries that others hide
  uint64_t other_bytes = 0;      // bytes read in the content's files, but outside all assets
  uint64_t asset_reads = 0;      // reads that touched an asset, even an empty one
  struct Unmapped {
    std::string path;
    uint64_t bytes = 0;
    uint64_t reads = 0;
    // True if the file belongs to the content and was read past its present end.
    bool is_of_content = false;
  };
  std::optional<std::string> misnamed_scenario;  // first scenario whose name isn't allowed
  std::vector<Unmapped> unmapped;                // files outside the content, most bytes first

  uint64_t mapped_bytes() const {
    return asset_bytes + directory_bytes + shadowed_bytes + other_bytes;
  }
};

// Takes one trace after another, as a TraceSink. RunCutter decides where runs begin. Runs that read
// no asset are left out. An asset counts as read if reads were meant for it (ReadCoverage) and
// touched its data, or an empty asset's header. If a run reads only whole pages, as `play` and
// other recorders below the page cache see them, read-ahead doesn't count (PageReads). Reads that
// search an archive for its directory count only there (DirectorySearches).
class ProfileBuilder final : public TraceSink {
 public:
  // `content` must outlive it.
  explicit ProfileBuilder(const Content& content);

  // Makes the next events belong to this trace; `scenario` is used if the trace names none.
  void start_trace(std::string trace, std::string scenario);
  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  Mapping finish_trace();

  // Returns the profile in planning order, whatever the order of the traces.
  Profile finish();

 private:
  // Holds an asset's first read in a run.
  struct FirstRead {
    int64_t time_ns;
    uint64_t sequence;
    ReadCoverage coverage = {};
    bool is_led_into = false;  // true if reads of whole pages lead into it
  };
  struct AssetPath {
    std::string name;
    std::optional<uint32_t> file;   // index in Content::sources
    std::optional<uint32_t> asset;  // index in Content::assets, if the path isn't a file's
    uint64_t unmapped_bytes = 0;
    uint64_t unmapped_reads = 0;
    bool is_past_end = false;  // true if some read is past the file's present end
  };

  void finish_run();
  void touch_asset(AssetPath& path, const Event& event);
  void count(const Touch& touch, const Event& event, bool is_by_name = false);
  void take(const Event& event, bool is_search);
  void touch_file(const Event& event, bool is_search);
  void note_pages(uint32_t file, const Event& event);
  uint32_t profile_index(uint32_t asset);

  const Content& content_;
  const Locator locator_;
  DirectorySearches<Event> searches_;
  Profile profile_;
  std::vector<uint32_t> profile_index_;  // indexed by asset; kNone if it has no index yet

  uint32_t traces_ = 0;
  std::string trace_;
  RunCutter cutter_;
  std::vector<AssetPath> paths_;
  Mapping mapping_;
  std::unordered_map<uint32_t, FirstRead>
      first_reads_;  // this run's first read of each asset, by asset
  uint64_t sequence_ = 0;
  RunTimes times_;                       // times of this run's reads of the content
  std::vector<Event> searching_events_;  // searches of this run
  PageReads pages_;
  uint64_t chain_begin_ = 0;  // beginning of the chain of reads with the current read
};

}  // namespace seekless
