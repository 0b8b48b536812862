// Defines the answers of 'pack': all packs that were written, a single pack, the catalog, or a list
// of the packs of a layout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/pack/pack_action.h"
#include "packer/pack/pack_set_writer.h"

namespace seekless {

struct PackAnswer {
  std::string folder;
  std::vector<WrittenPack> packs;
  double seconds = 0;
};

// Prints a sentence, and a line for each pack. The last line has no newline.
std::string to_text(const PackAnswer& answer);
nlohmann::ordered_json to_json(const PackAnswer& answer);

struct PackOneAnswer {
  std::string name;  // the pack's name
  std::string file;
  WrittenPack pack;
  double seconds = 0;
};

std::string to_text(const PackOneAnswer& answer);  // one line, without a newline
nlohmann::ordered_json to_json(const PackOneAnswer& answer);

struct CatalogAnswer {
  std::string file;
  uint64_t id = 0;
  uint64_t packs = 0;  // number of packs that it lists
};

std::string to_text(const CatalogAnswer& answer);  // one line, without a newline
nlohmann::ordered_json to_json(const CatalogAnswer& answer);

struct PackListAnswer {
  std::string layout;
  std::vector<PackInputs> packs;
};

// Prints a line for each pack; the last line has no newline.
std::string to_text(const PackListAnswer& answer);
nlohmann::ordered_json to_json(const PackListAnswer& answer);

// Returns the name of a pack's file.
std::string pack_file_name(const std::string& pack);

}  // namespace seekless
