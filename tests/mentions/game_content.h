// Content of assets that only have names, for tests of what files mention.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "packer/content/content.h"

namespace seekless {

inline Content content_of(std::vector<std::string> paths, uint64_t size_bytes = 1000) {
  Content content;
  content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
  std::ranges::sort(paths);
  for (const std::string& path : paths)
    content.assets.push_back({content.paths.add(path), {.size_bytes = size_bytes}});
  return content;
}

inline uint32_t number_of(const Content& content, const std::string& path) {
  return static_cast<uint32_t>(content.find(path) - content.assets.data());
}

inline std::vector<std::string> paths_of(const Content& content,
                                         const std::vector<uint32_t>& assets) {
  std::vector<std::string> paths;
  for (const uint32_t asset : assets) paths.emplace_back(content.assets[asset].path);
  return paths;
}

}  // namespace seekless
