// The answers of 'pack': the packs that were written, one pack, the catalog, or a list of what
// there is to write.
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

// A sentence, and a line for each pack; without the last line's end.
std::string to_text(const PackAnswer& answer);
nlohmann::ordered_json to_json(const PackAnswer& answer);

struct PackOneAnswer {
  std::string name;  // of the pack
  std::string file;
  WrittenPack pack;
  double seconds = 0;
};

std::string to_text(const PackOneAnswer& answer);  // one line, without its end
nlohmann::ordered_json to_json(const PackOneAnswer& answer);

struct CatalogAnswer {
  std::string file;
  uint64_t id = 0;
  uint64_t packs = 0;  // that it knows
};

std::string to_text(const CatalogAnswer& answer);  // one line, without its end
nlohmann::ordered_json to_json(const CatalogAnswer& answer);

struct PackListAnswer {
  std::string layout;
  std::vector<PackInputs> packs;
};

std::string to_text(const PackListAnswer& answer);  // a line for each; without the last line's end
nlohmann::ordered_json to_json(const PackListAnswer& answer);

// The name of a pack's file.
std::string pack_file_name(const std::string& pack);

}  // namespace seekless
