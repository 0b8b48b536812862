// The answer of 'report': what a pack set gains. Measured values come in; a table for a terminal
// and JSON for machines go out. The page room draws it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/drive/load_cost.h"
#include "packer/layout/layout.h"
#include "packer/verdict/verdict.h"

namespace seekless {

struct ScenarioReport {
  std::string name;
  uint32_t runs = 0;          // recorded; `before` is the median run by seconds
  uint64_t assets = 0;        // that it needs
  uint64_t needed_bytes = 0;  // their sizes
  LoadCost before;            // the game as recorded, on its own archives
  LoadCost after;             // the sweep of its packs
  double bound_seconds = 0;   // of the sweep: what is needed, each byte once; no order is faster
  std::vector<HeadMove> before_moves;
  std::vector<HeadMove> after_moves;
  std::optional<PredictedLoad> planned = {};  // by the planner
};

struct PackReport {
  std::string name;
  std::string kind;  // common, sub, cold
  uint64_t assets = 0;
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  uint64_t padding_bytes = 0;
};

// A part of a pack's file.
struct PackRange {
  uint32_t pack = 0;  // index in Report::packs
  uint64_t first_bytes = 0;
  uint64_t end_bytes = 0;
};

// Lists what a scenario's sweep touches. Ranges come in any order, and may overlap.
struct ScenarioReads {
  std::string name;
  std::vector<PackRange> read;    // in whole blocks, with what is read through
  std::vector<PackRange> needed;  // its assets
  std::vector<PackRange> copied;  // of these, those that lie in other packs, too
};

// The layout that the packs were made from, as its planner saw it.
struct PlanReport {
  std::string drive;    // that it was planned for
  std::string reasons;  // a paragraph
  CopyPrice chosen;
  std::vector<CopyPrice> curve;  // rises, from no copies to copies of everything
};

PlanReport plan_report_of(const Prediction& prediction);

struct Report {
  std::optional<Verdict> verdict = {};   // what it comes to, where somebody judged
  std::string drive;                     // the profile's name
  uint64_t capacity_bytes = 0;           // of the drive; 0 for solid state
  std::vector<std::string> assumptions;  // sentences
  std::vector<std::string> warnings;
  std::vector<ScenarioReport> scenarios;
  std::vector<PackReport> packs;
  std::vector<ScenarioReads> reads;  // of the pack set's scenarios, measured or not
  std::optional<PlanReport> plan;    // if there was a layout with a prediction
};

// The verdict, a table of loads, and notes; `is_verbose` adds the packs, the plan's reasons and
// what is assumed. At most `columns` characters a line, 80 or more; without the last line's end.
std::string to_text(const Report& report, size_t columns, bool is_verbose);
// Follows schemas/results/report.schema.json; leaves out the head's moves.
nlohmann::ordered_json to_json(const Report& report);

}  // namespace seekless
