// Defines the answer of 'info': the packs of a set, its scenarios, and the bytes that their sweeps
// read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace seekless {

struct PackInfo {
  std::string file;
  std::string kind;  // common, sub, cold; single without a catalog
  uint64_t assets = 0;
  uint64_t blocks = 0;
  uint64_t block_bytes = 0;
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  bool is_compressed = false;
  uint64_t id = 0;
};

struct ScenarioInfo {
  std::string name;
  uint64_t assets = 0;
  uint64_t bytes = 0;
  uint64_t ranges = 0;
  uint64_t read_bytes = 0;  // bytes that its sweep reads
};

struct InfoAnswer {
  uint64_t hash_seed = 0;
  bool folds_case = false;
  bool has_catalog = false;  // false for a single pack
  std::vector<PackInfo> packs;
  std::vector<ScenarioInfo> scenarios;
};

std::string to_text(const InfoAnswer& answer);  // the last line has no newline
nlohmann::ordered_json to_json(const InfoAnswer& answer);

// Describes one asset for `info --assets`.
struct AssetInfo {
  std::string path;
  uint64_t bytes = 0;
  std::string pack;        // the file's name
  uint32_t block = 0;      // the block in which the asset starts
  uint64_t offset = 0;     // bytes from the block's start
  uint64_t alignment = 1;  // bytes
};

std::string to_text(const AssetInfo& asset, bool is_long);  // one line, without a newline
nlohmann::ordered_json to_json(const AssetInfo& asset);

}  // namespace seekless
