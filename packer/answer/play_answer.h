// Defines the answers of 'play': about one run; with --status about one game, or about all games.
// The process that serves the folder passes on its findings as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/foresee/learned.h"

namespace seekless {

struct PlayedTrace {
  std::string file;
  std::string scenario;  // the scenario before the first mark
  uint64_t events = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t paths = 0;
};

struct PlayedReads {
  uint64_t reads = 0;         // number of reads that missed the page cache
  uint64_t shadow_reads = 0;  // number of them that copies in load order answered
  double longest_wait_s = 0;
  std::vector<std::string> recognised;    // scenarios in the order in which they were recognised
  std::vector<std::string> fetched_next;  // scenarios that were fetched while the game read nothing
  uint64_t fetched_bytes = 0;             // bytes fetched in advance
  uint64_t around_bytes = 0;              // bytes fetched together with unpredicted reads
  uint64_t damaged_chunks = 0;            // damaged chunks of the shadow
};

// Advice for when another way would make loads faster.
struct PlayedAdvice {
  std::string way;  // as name_of(LoadWay) has it
  // Disk seconds per load, the mean of all known loads: with that way, and with `play`.
  double seconds = 0;
  double played_s = 0;
  std::vector<std::string> command;  // the words after "seekless" for comparing all ways
};

// These write the advice as the game's state keeps it, and read it back. Reading returns none for
// any other text.
std::string to_text(const PlayedAdvice& advice);
std::optional<PlayedAdvice> played_advice_of(const std::string& text);

struct PlayedRun {
  std::optional<PlayedTrace> trace = {};
  std::optional<PlayedReads> foreseen = {};      // none without a place to store what is learned
  std::vector<std::string> marked = {};          // loads that the trace has marks for
  std::vector<std::string> unread_folders = {};  // served folders from which nothing was read
  std::optional<uint64_t> scenarios = {};        // number of scenarios that are known now
  std::optional<double> laying_out_saves_s = {};
  bool lays_out_after = false;  // another process began to lay out
  // The time that the reads of known loads took in their first run and in this run.
  double first_waited_s = 0;
  double last_waited_s = 0;
  std::optional<uint64_t> shadow_bytes = {};  // none if nothing was laid out
  std::optional<PlayedAdvice> advice = {};
  std::vector<std::string> warnings = {};
};

// Returns the text that the serving process passes on, warnings included.
std::string handed_over(const PlayedRun& run);
PlayedRun played_run_of(const std::string& handed_over);

struct PlayAnswer {
  std::string folder;
  std::vector<std::string> folders = {};  // all folders to be served, if there are several
  int exit_code = 0;
  bool was_served = false;
  bool was_watched = false;  // the game wasn't served, but watched, with prefetching
  PlayedRun run = {};
};

std::vector<std::string> lines_of(const PlayAnswer& answer);
std::string line_of_laid_out(uint64_t bytes);
nlohmann::ordered_json to_json(const PlayAnswer& answer);

struct PlayStatusAnswer {
  std::string shown;   // the game's folder, or its name
  std::string folder;  // may be empty
  const Learned& learned;
  bool is_forgotten = false;
  // Maps each scenario to the seconds that a disk takes for its load as shipped; empty if unknown.
  std::map<std::string, double> as_shipped_s = {};
};

std::string to_text(const PlayStatusAnswer& answer);  // the last line has no newline
nlohmann::ordered_json to_json(const PlayStatusAnswer& answer);

struct KeptGameInfo {
  std::string folder;  // the game's folder when it was last played; may be empty
  std::string name;    // may be empty
  std::string state;   // the folder with everything stored about the game
  uint64_t bytes = 0;
  int64_t used_unix_s = 0;
  bool is_gone = false;    // true if the game's folder is gone
  bool is_unused = false;  // true if it is gone, or wasn't played for 90 days
};

struct PlayKeptAnswer {
  std::string place;        // the folder of all games' states
  std::string given_place;  // as --state named it; may be empty
  std::vector<KeptGameInfo> games;
  bool are_forgotten = false;
};

std::string to_text(const PlayKeptAnswer& answer);  // the last line has no newline
nlohmann::ordered_json to_json(const PlayKeptAnswer& answer);

}  // namespace seekless
