#include "packer/keep/internal/overlay_order.h"

#include <algorithm>
#include <map>
#include <utility>

#include "packer/plan/arrange.h"

namespace seekless {
namespace {

// Takes about a tenth of a second.
constexpr uint64_t kEffort = 3'000'000;

struct SetPart {
  uint32_t set = 0;
  uint64_t size_bytes = 0;
  std::vector<uint32_t> assets;
};

std::vector<SetPart> parts_of(std::span<const OverlayAsset> assets) {
  std::map<uint32_t, size_t> known;
  std::vector<SetPart> parts;
  for (uint32_t i = 0; i < assets.size(); ++i) {
    const auto [part, is_new] = known.emplace(assets[i].set, parts.size());
    if (is_new) parts.push_back({.set = assets[i].set});
    parts[part->second].size_bytes += assets[i].size_bytes;
    parts[part->second].assets.push_back(i);
  }
  return parts;
}

}  // namespace

std::vector<uint32_t> overlay_order(std::span<const OverlayAsset> assets, const ReaderSets& sets,
                                    uint64_t read_through_bytes) {
  std::vector<SetPart> parts = parts_of(assets);
  // The search starts with the parts that have the fewest bytes for each reader; parts that are in
  // the way of the most scenarios come last.
  std::ranges::stable_sort(parts, {}, [&](const SetPart& part) {
    return static_cast<double>(part.size_bytes) /
           static_cast<double>(sets.readers(part.set).size());
  });
  SharedContent content;
  // The cost unit is one seek; reading a gap costs a fraction of it.
  content.costs = {.jump_s = read_through_bytes > 0 ? 1.0 : 0.0,
                   .bytes_per_s = static_cast<double>(std::max<uint64_t>(1, read_through_bytes))};
  for (const SetPart& part : parts) {
    const std::span<const uint32_t> readers = sets.readers(part.set);
    content.weights.resize(std::max<size_t>(content.weights.size(), readers.back() + 1), 1);
    content.add_atom(part.size_bytes, readers,
                     {.assets = static_cast<uint32_t>(part.assets.size()), .may_copy = false});
  }
  content.has_own.assign(content.weights.size(), 0);
  std::vector<uint32_t> order;
  order.reserve(assets.size());
  for (const uint32_t part : arrange(content, {.budget_bytes = 0, .effort = kEffort}).order)
    order.insert(order.end(), parts[part].assets.begin(), parts[part].assets.end());
  return order;
}

}  // namespace seekless
