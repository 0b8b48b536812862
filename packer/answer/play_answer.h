// The answers of 'play': of one run, and with --status of all that is known of a game, or of all
// games. The process that serves the folder hands over what it has to tell as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/foresee/learned.h"

namespace seekless {

struct PlayedTrace {
  std::string file;
  std::string scenario;  // of what comes before the first mark
  uint64_t events = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t paths = 0;
};

struct PlayedReads {
  uint64_t reads = 0;         // that weren't in the kernel's memory
  uint64_t shadow_reads = 0;  // of these, answered by copies in load order
  double longest_wait_s = 0;
  std::vector<std::string> recognised;    // scenarios, in their order
  std::vector<std::string> fetched_next;  // scenarios that were fetched while nothing was read
  uint64_t fetched_bytes = 0;             // in advance
  uint64_t around_bytes = 0;              // fetched with what nobody foresaw
  uint64_t damaged_chunks = 0;            // of the shadow
};

struct PlayedRun {
  std::optional<PlayedTrace> trace = {};
  std::optional<PlayedReads> foreseen = {};  // none without a place for what is learned
  std::vector<std::string> marked = {};      // loads that the trace has marks of
  std::optional<uint64_t> scenarios = {};    // that are known now
  std::optional<double> laying_out_saves_s = {};
  std::optional<uint64_t> shadow_bytes = {};  // if it was laid out
  std::vector<std::string> warnings = {};
};

// The text that the serving process hands over, with its warnings.
std::string handed_over(const PlayedRun& run);
PlayedRun played_run_of(const std::string& handed_over);

struct PlayAnswer {
  std::string folder;
  int exit_code = 0;
  bool was_served = false;
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
};

std::string to_text(const PlayStatusAnswer& answer);  // without the last line's end
nlohmann::ordered_json to_json(const PlayStatusAnswer& answer);

struct KeptGameInfo {
  std::string folder;  // of the game, when it was played last; may be empty
  std::string name;    // may be empty
  std::string state;   // the folder with all that is kept of it
  uint64_t bytes = 0;
  int64_t used_unix_s = 0;
  bool is_gone = false;  // the game's folder
};

struct PlayKeptAnswer {
  std::string place;  // of all games' states
  std::vector<KeptGameInfo> games;
};

std::string to_text(const PlayKeptAnswer& answer);  // without the last line's end
nlohmann::ordered_json to_json(const PlayKeptAnswer& answer);

}  // namespace seekless
