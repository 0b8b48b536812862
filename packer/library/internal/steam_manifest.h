// Reads Steam's manifests. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/library/internal/text_node.h"

namespace seekless {

struct SteamManifest {
  std::string id;
  std::string name;
  std::string folder_name;  // below the library's steamapps/common
  uint64_t bytes = 0;
  bool is_installed = false;  // false while Steam still downloads it
};

// Returns the paths of libraries that libraryfolders.vdf lists, in its present form and that of
// before 2021.
std::vector<std::string> steam_libraries(const TextNode& file);
// Returns the fields of appmanifest_*.acf; empty texts for missing ones.
SteamManifest steam_manifest(const TextNode& file);

// Returns the text's whole number; 0 if it isn't a number or is too large.
uint64_t number_or_zero(std::string_view text);

}  // namespace seekless
