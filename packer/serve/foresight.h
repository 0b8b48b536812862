// Watches what a game reads: recognises what is being loaded, has it swept in advance, and learns
// from the session at its end. While the game reads nothing and the drive is idle, it fetches the
// load that usually comes next. A front sees the reads: FUSE, or hooks in the game.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "packer/foresee/recogniser.h"
#include "packer/foresee/start_recogniser.h"
#include "packer/serve/internal/sweeper.h"

namespace seekless {

class TimedQuestions;

struct ForeseeOptions {
  std::string folder;
  std::vector<std::string> folders = {};  // all that are watched; empty: only `folder`
  std::string shadow;                     // the shadow's file; empty: there is none
  uint64_t gap_bytes = 0;                 // shorter gaps are read through
  uint64_t least_unplaced_bytes = 0;      // a file without places is fetched from this size on
  uint64_t around_bytes = 0;              // data to fetch around an unforeseen read; 0: none
  uint64_t most_bytes = 0;                // limit of all that is fetched in advance
  // True if the front sees which reads use fetched pages. Otherwise all fetched pages count as
  // read, unless the game read many others.
  bool sees_use_of_fetched = true;
  // True if fetching begins only once most of the game's first reads are known from every start. A
  // start that reads something else then loses nothing.
  bool waits_for_known_start = false;
  // False if the game was never started with this command, so it may read what no start has read.
  bool knows_command = true;
  SweepManners manners = {};
};

// A load that the game made, and its name among the learned ones.
struct SeenLoad {
  std::string name;
  bool is_start = false;
  int64_t began_ns = 0;  // on the clock std::chrono::steady_clock
};

struct ForeseenFigures {
  uint64_t reads = 0;
  uint64_t shadow_reads = 0;  // reads answered from the shadow
  double longest_wait_s = 0;  // the longest wait for one read
  std::vector<std::string> recognised;
  std::vector<std::string> fetched_next;  // fetched while nothing was read
  SweptBytes swept;
  uint64_t around_bytes = 0;  // bytes fetched around reads that weren't foreseen
};

// Any thread may call any function.
class Foresight {
 public:
  using Clock = std::chrono::steady_clock;

  Foresight(Learned learned, ForeseeOptions options);

  // Starts fetching the core: at once, or when the game has begun to read it.
  void begin();
  // Returns true while pages are being fetched, and in the first minute also while it isn't known
  // yet which pages to fetch.
  bool is_at_work(Clock::time_point now = Clock::now());

  // These note what the game does at `now`. Paths are relative to the game's folder; if one ends in
  // '/', a folder's list of names is read.
  void looks_up(const std::string& path, Clock::time_point now = Clock::now());
  void reads(std::span<const PageKey> pages, Clock::time_point now = Clock::now());
  // Notes how long a read has taken.
  void has_waited(double seconds);
  // Returns a file's number in what is learned; a new file gets one.
  uint32_t number_of(const std::string& path);
  // Notes that a file's copy in the shadow is no longer good. Returns its number if it is known.
  std::optional<uint32_t> drops_copy_of(const std::string& path);

  // Returns everything learned, including this run. Drops notes that arrive afterwards, about calls
  // that another machine answers late.
  Learned finish();
  // Returns true if a disk or server didn't answer finish() for seconds.
  bool has_silent_files() const { return has_silent_files_; }
  // Returns the loads in their order; valid after finish().
  const std::vector<SeenLoad>& loads() const { return loads_; }
  // Returns the figures, as far as this object knows them.
  ForeseenFigures figures();
  const ForeseeOptions& options() const { return options_; }
  Sweeper& sweeper() { return sweeper_; }

 private:
  FetchPlan plan(uint32_t scenario) const;
  std::unordered_set<std::string> names_of(const FetchPlan& fetched) const;
  void fetch(FetchPlan fetched);
  void fetch_for_burst(uint32_t scenario);
  void count_fetched_as_read();
  void begin_burst_after_quiet(Clock::time_point now);
  void note_name(const std::string& path, Clock::time_point now);
  void find_places(TimedQuestions& asked);
  void watch_quiet(const std::stop_token& stop);
  void fetch_usual_next();
  bool awaits_known_start() const;
  void note_in_start(bool is_core);
  bool is_folder(const std::string& path) const;

  Learned learned_;
  ForeseeOptions options_;
  Recogniser recogniser_;
  Sweeper sweeper_;

  std::mutex mutex_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::unordered_map<std::string, uint32_t> name_numbers_;
  std::unordered_set<uint32_t> looked_up_;  // names of this session
  PageKeys seen_;
  std::vector<LearnedRun> bursts_;
  std::vector<SeenLoad> loads_;
  Clock::time_point last_read_;
  bool looked_for_next_ = false;  // checked since the last read
  PageKeys next_pages_;           // pages that are fetched while nothing is read
  std::optional<uint32_t> next_;  // their scenario, until another load begins
  // The fetched scenarios, each with the number of its burst; only kept if their use isn't seen.
  std::vector<std::pair<size_t, uint32_t>> fetched_;
  std::unordered_set<std::string> fetched_names_;
  std::optional<StartRecogniser> start_;  // set if the core is fetched only in a known start
  Clock::time_point began_;
  std::unordered_set<std::string> core_names_;  // names that every start looks up
  ForeseenFigures figures_;
  bool is_over_ = false;
  bool has_silent_files_ = false;
  std::condition_variable_any ended_;
  std::jthread watching_;
};

}  // namespace seekless
