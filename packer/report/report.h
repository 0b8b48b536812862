// What a pack set wins: measured values in, a page for people (HTML), a table for a terminal and
// JSON for machines out. Knows nothing of how the values came about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace seekless {

// What loading one scenario costs.
struct LoadCost {
  uint64_t bytes = 0;  // that the drive delivers
  uint64_t reads = 0;  // commands to the drive
  uint64_t seeks = 0;  // moves of the head
  double seconds = 0;  // that the drive is busy
};

// A command to the drive: when it began, in seconds of the drive's busy time, and what it read. For
// the picture.
struct HeadMove {
  double start_s = 0;
  uint64_t position_bytes = 0;
  uint64_t length_bytes = 0;
};

struct ScenarioReport {
  std::string name;
  uint32_t runs = 0;          // recorded; `before` is the median run by seconds
  uint64_t assets = 0;        // that it needs
  uint64_t needed_bytes = 0;  // their sizes
  LoadCost before;            // the game as recorded, on its own archives
  LoadCost after;             // the sweep of its packs
  double bound_seconds =
      0;  // needed bytes at the drive's rate and one average seek: hardly any order is faster
  std::vector<HeadMove> before_moves;
  std::vector<HeadMove> after_moves;
};

struct PackReport {
  std::string name;
  std::string kind;  // common, sub, cold
  uint64_t assets = 0;
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  uint64_t padding_bytes = 0;
};

struct Report {
  std::string drive;                     // the profile's name
  uint64_t capacity_bytes = 0;           // of the drive; 0 for solid state
  std::vector<std::string> assumptions;  // sentences
  std::vector<std::string> warnings;
  std::vector<ScenarioReport> scenarios;
  std::vector<PackReport> packs;
};

// A self-contained page: no script or picture from elsewhere.
std::string to_html(const Report& report);
// A table of at most `columns` characters a line, 80 or more.
std::string to_text(const Report& report, size_t columns);
// As in schemas/report.schema.json; the head's moves aren't in it.
nlohmann::ordered_json to_json(const Report& report);

}  // namespace seekless
