// Defines the answer of 'report': what a pack set gains. It takes measured values, and becomes a
// table for a terminal and JSON for machines. packer/page makes a page of it.
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
  uint32_t runs = 0;          // number of recorded runs; `before` is the median run by seconds
  uint64_t assets = 0;        // number of assets that it needs
  uint64_t needed_bytes = 0;  // size of these assets
  LoadCost before;            // the game as recorded, on its own archives
  LoadCost after;             // the sweep of its packs
  double bound_seconds = 0;   // seconds to read every needed byte once, which no order can beat
  std::vector<HeadMove> before_moves;
  std::vector<HeadMove> after_moves;
  std::optional<PredictedLoad> planned = {};  // prediction of the planner
};

struct PackReport {
  std::string name;
  std::string kind;  // common, sub, cold
  uint64_t assets = 0;
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  uint64_t padding_bytes = 0;
};

// Locates a part of a pack's file.
struct PackRange {
  uint32_t pack = 0;  // index in Report::packs
  uint64_t first_bytes = 0;
  uint64_t end_bytes = 0;
};

// Lists what a scenario's sweep touches. Ranges come in any order, and may overlap.
struct ScenarioReads {
  std::string name;
  std::vector<PackRange> read;    // whole blocks, including gaps that are read through
  std::vector<PackRange> needed;  // its assets
  std::vector<PackRange> copied;  // needed ranges whose content other packs also hold
};

// Describes the layout that the packs were made from, with its planner's predictions.
struct PlanReport {
  std::string drive;    // name of the drive that it was planned for
  std::string reasons;  // a paragraph
  CopyPrice chosen;
  std::vector<CopyPrice> curve;  // rising from no copies to copies of everything
};

PlanReport plan_report_of(const Prediction& prediction);

struct Report {
  std::optional<Verdict> verdict = {};   // none if not judged
  std::string drive;                     // the profile's name
  uint64_t capacity_bytes = 0;           // capacity of the drive; 0 for an SSD
  std::vector<std::string> assumptions;  // sentences
  std::vector<std::string> warnings;
  std::vector<ScenarioReport> scenarios;
  std::vector<PackReport> packs;
  std::vector<ScenarioReads> reads;  // reads of the pack set's scenarios, measured or not
  std::optional<PlanReport> plan;    // none without a layout that has a prediction
};

// Prints the verdict, a table of loads, and notes. `is_verbose` adds the packs, the plan's reasons
// and the assumptions. Lines have at most `columns` characters, which is at least 80. The last line
// has no newline.
std::string to_text(const Report& report, size_t columns, bool is_verbose);
// Returns JSON that follows schemas/results/report.schema.json; it leaves out the head's moves.
nlohmann::ordered_json to_json(const Report& report);

}  // namespace seekless
