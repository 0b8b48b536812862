#include "packer/profile/maps.h"

#include <algorithm>
#include <map>

namespace seekless {

std::vector<uint32_t> find_maps(const std::vector<std::string>& scenarios) {
  std::map<std::string, std::vector<uint32_t>> folders;
  for (uint32_t i = 0; i < scenarios.size(); ++i)
    folders[scenarios[i].substr(0, scenarios[i].find_last_of('/') + 1)].push_back(i);
  std::vector<uint32_t> maps;
  for (const auto& [folder, inside] : folders)
    if (inside.size() >= std::max(kFewestMaps, maps.size() + 1)) maps = inside;
  return maps;
}

}  // namespace seekless
