// Defines the answer of 'simulate': what loads cost on simulated drives. It takes measured values,
// and becomes tables for a terminal and JSON for machines.
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
  // Number of recorded runs; the figures are those of the median run by seconds.
  uint32_t runs = 0;
  std::optional<LoadFigures> today;  // cost on the content in its present places
  std::optional<LoadFigures> packs;  // cost of reading from the packs
  // True if the packs' scenario of that name is swept; false if it is read asset by asset.
  bool is_swept = true;
  uint64_t missing_assets = 0;  // number of assets that it reads and the packs lack
};

struct SimulatedDrive {
  std::string name;
  uint64_t capacity_bytes = 0;  // capacity of the drive; 0 for an SSD
  std::vector<SimulatedScenario> scenarios;
  std::optional<Verdict> verdict = {};  // none if not judged
};

SimulatedDrive to_table(const DriveProfile& drive, const std::vector<ScenarioLoads>& loads);

struct Simulation {
  std::string policy;  // the way packs are read: "sweep" or "demand"; empty if there are no packs
  std::string read_ahead;
  uint32_t queue_depth = 1;
  std::vector<PlaceRule> places;  // rules from the command line
  std::vector<SimulatedDrive> drives;
  std::vector<std::string> warnings;
};

// Prints a table for each drive. Lines have at most `columns` characters, which is at least 80.
// `is_verbose` adds what the columns mean.
std::string to_text(const Simulation& simulation, size_t columns, bool is_verbose);
// Returns JSON that follows schemas/results/simulate.schema.json.
nlohmann::ordered_json to_json(const Simulation& simulation);

// Lists as sentences the assumptions of comparing recorded loads with the sweep of their packs.
// `is_in_order` is true if the user gave no places for files.
std::vector<std::string> report_assumptions(const SimulationOptions& options, bool is_in_order);

}  // namespace seekless
