#include "packer/keep/split_pack.h"

#include <algorithm>
#include <utility>

#include "runtime/asset_path.h"

namespace seekless {

std::string PackNames::take_free(const std::string& base) {
  const auto is_taken = [this](std::string_view name) {
    return std::ranges::any_of(
        names_, [&](const std::string& taken) { return compare_folded(taken, name) == 0; });
  };
  std::string name = base;
  for (int number = 2; is_taken(name); ++number) name = base + "-" + std::to_string(number);
  return names_.emplace_back(std::move(name));
}

std::vector<LaidPack> split_pack(LaidPack pack, uint64_t most_bytes, PackNames& names) {
  std::vector<LaidPack> parts;
  const std::vector<LaidAsset> assets = std::exchange(pack.assets, {});
  parts.push_back(pack);
  uint64_t bytes = 0;
  for (const LaidAsset& asset : assets) {
    const bool fits = bytes <= most_bytes && asset.size_bytes <= most_bytes - bytes;
    if (!fits && !parts.back().assets.empty()) {
      parts.push_back(pack);
      parts.back().name = names.take_free(pack.name);
      bytes = 0;
    }
    bytes += asset.size_bytes;
    parts.back().assets.push_back(asset);
  }
  return parts;
}

}  // namespace seekless
