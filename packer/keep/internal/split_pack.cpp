#include "packer/keep/internal/split_pack.h"

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

namespace {

// Limits the number of parts of all content. Each part is also so large that its extra jump costs a
// sweep less than one per cent.
constexpr uint64_t kMostParts = 128;
constexpr uint64_t kLeastJumps = 128;

}  // namespace

uint64_t part_bytes_of(uint64_t content_bytes, uint64_t read_through_bytes) {
  return std::max(content_bytes / kMostParts,
                  kLeastJumps * std::max<uint64_t>(1, read_through_bytes));
}

std::vector<LaidPack> split_pack(LaidPack pack, uint64_t part_bytes, uint64_t most_bytes,
                                 PackNames& names) {
  const uint64_t all_bytes = pack.size_bytes();
  const uint64_t count = all_bytes <= part_bytes + part_bytes / 2 ? 1 : all_bytes / part_bytes + 1;
  const uint64_t even_bytes = all_bytes / count;
  std::vector<LaidPack> parts;
  const std::vector<LaidAsset> assets = std::exchange(pack.assets, {});
  parts.push_back(pack);
  uint64_t laid_bytes = 0;
  uint64_t bytes = 0;  // size of the last part
  uint64_t cuts = 0;
  for (const LaidAsset& asset : assets) {
    const bool is_due = cuts + 1 < count && laid_bytes >= (cuts + 1) * even_bytes;
    const bool fits = bytes <= most_bytes && asset.size_bytes <= most_bytes - bytes;
    if (is_due) ++cuts;
    if ((is_due || !fits) && !parts.back().assets.empty()) {
      parts.push_back(pack);
      parts.back().name = names.take_free(pack.name);
      bytes = 0;
    }
    bytes += asset.size_bytes;
    laid_bytes += asset.size_bytes;
    parts.back().assets.push_back(asset);
  }
  return parts;
}

bool is_part_of(std::string_view name, std::string_view whole) {
  if (!name.starts_with(whole)) return false;
  const std::string_view number = name.substr(whole.size());
  return number.empty() || (number.front() == '-' && number.back() != '-' &&
                            number.find_first_not_of("-0123456789") == std::string_view::npos);
}

}  // namespace seekless
