// What loads cost on simulated drives: measured values in, tables for a terminal and JSON for
// machines out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/drive/load_cost.h"
#include "packer/simulate/simulator.h"
#include "packer/verdict/verdict.h"

namespace seekless {

struct SimulatedScenario {
  std::string name;
  uint32_t runs = 0;                 // recorded; figures are those of the median run by seconds
  std::optional<LoadFigures> today;  // on the content as it lies
  std::optional<LoadFigures> packs;  // from the packs
  bool is_swept = true;              // by the packs' scenario of that name; else asset by asset
  uint64_t missing_assets = 0;       // that it reads and the packs don't hold
};

struct SimulatedDrive {
  std::string name;
  uint64_t capacity_bytes = 0;  // 0 for solid state
  std::vector<SimulatedScenario> scenarios;
  std::optional<Verdict> verdict = {};  // what it comes to, where somebody judged
};

SimulatedDrive to_table(const DriveProfile& drive, const std::vector<ScenarioLoads>& loads);

struct Simulation {
  std::string policy;  // how packs are read: "sweep", "demand"; empty if there are none
  std::string read_ahead;
  uint32_t queue_depth = 1;
  std::vector<PlaceRule> places;  // as asked for
  std::vector<SimulatedDrive> drives;
  std::vector<std::string> warnings;
};

// A table for each drive, of at most `columns` characters a line, 80 or more.
// `is_verbose` says what the columns mean.
std::string to_text(const Simulation& simulation, size_t columns, bool is_verbose);
// Follows schemas/results/simulate.schema.json.
nlohmann::ordered_json to_json(const Simulation& simulation);

// What a comparison of recorded loads with the sweep of their packs takes for granted, in
// sentences. `is_in_order`: nobody said where files lie.
std::vector<std::string> report_assumptions(const SimulationOptions& options, bool is_in_order);

}  // namespace seekless
