#include "packer/base/paths.h"

#include <algorithm>

namespace seekless {

std::vector<std::string> outermost(const std::vector<std::string>& paths) {
  std::vector<std::string> outer;
  for (const std::string& path : paths) {
    const auto holds = [&](const std::string& other) { return lies_in(path, other); };
    if (std::ranges::any_of(outer, holds)) continue;
    std::erase_if(outer, [&](const std::string& other) { return lies_in(other, path); });
    outer.push_back(path);
  }
  return outer;
}

}  // namespace seekless
