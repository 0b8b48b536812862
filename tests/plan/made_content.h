// Content that consists of numbers: sizes from some distribution, and hashes in place of bytes. It
// is edited from build to build.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/content/content.h"
#include "packer/keep/lock.h"
#include "packer/layout/layout.h"

namespace seekless {

enum class Sizes { log_normal, wide, uniform, equal, two_kinds, heavy_tail };

inline std::string name_of(Sizes sizes) {
  static constexpr const char* kNames[] = {"log_normal", "wide",      "uniform",
                                           "equal",      "two_kinds", "heavy_tail"};
  return kNames[static_cast<int>(sizes)];
}

class MadeContent {
 public:
  MadeContent(Sizes sizes, uint32_t count, uint64_t total_bytes, uint32_t seed) : random_(seed) {
    std::vector<double> shares;
    for (uint32_t i = 0; i < count; ++i) shares.push_back(share(sizes));
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    content.sources.push_back({.path = "made"});
    for (uint32_t i = 0; i < count; ++i)
      add(fmt::format("asset-{:09}-{:05}", random_() % 1'000'000'000, i),
          static_cast<uint64_t>(shares[i] / sum * static_cast<double>(total_bytes)) + 1);
  }

  void add(const std::string& path, uint64_t size_bytes) {
    Asset asset;
    asset.path = content.paths.add(path);
    asset.place.size_bytes = asset.place.stored_bytes = size_bytes;
    const auto at = std::ranges::lower_bound(
        content.assets, path, {}, [](const Asset& one) { return std::string(one.path); });
    hashes.insert(hashes.begin() + (at - content.assets.begin()), new_hash());
    content.assets.insert(at, std::move(asset));
  }

  void remove(size_t number) {
    content.assets.erase(content.assets.begin() + static_cast<std::ptrdiff_t>(number));
    hashes.erase(hashes.begin() + static_cast<std::ptrdiff_t>(number));
  }

  void edit_one(size_t number, uint64_t size_bytes) {
    content.assets[number].place.size_bytes = size_bytes;
    hashes[number] = new_hash();
  }

  // Gives assets other content, up to a tenth larger or smaller. Returns the bytes of the new
  // content.
  uint64_t edit(double part) {
    const auto count = static_cast<size_t>(static_cast<double>(content.assets.size()) * part);
    std::vector<size_t> numbers(content.assets.size());
    std::iota(numbers.begin(), numbers.end(), size_t{0});
    std::ranges::shuffle(numbers, random_);
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; ++i) {
      Place& place = content.assets[numbers[i]].place;
      const double factor = std::uniform_real_distribution(0.9, 1.1)(random_);
      place.size_bytes = static_cast<uint64_t>(static_cast<double>(place.size_bytes) * factor) + 1;
      hashes[numbers[i]] = new_hash();
      bytes += place.size_bytes;
    }
    return bytes;
  }

  // Each pack has `sets_per_pack` sets of readers, one after the other; the last pack is cold.
  Layout layout(uint32_t packs, uint32_t sets_per_pack, uint32_t block_bytes) const {
    Layout layout = {.block_bytes = block_bytes};
    layout.paths = content.paths;
    layout.sources = content.sources;
    layout.scenario_sets.emplace_back();
    for (uint32_t i = 0; i + 1 < packs * sets_per_pack; ++i) {
      layout.scenarios.push_back({fmt::format("s{}", i), 1, {}});
      layout.scenario_sets.push_back({i});
    }
    const size_t groups = size_t{packs} * sets_per_pack;
    for (size_t i = 0; i < content.assets.size(); ++i) {
      const size_t group = i * groups / content.assets.size();
      if (group / sets_per_pack == layout.packs.size())
        layout.packs.push_back(
            LaidPack{fmt::format("pack{}", layout.packs.size()),
                     layout.packs.size() + 1 == packs ? PackKind::cold : PackKind::common,
                     {}});
      LaidAsset& asset = layout.packs.back().assets.emplace_back();
      asset.path = content.assets[i].path;
      asset.size_bytes = content.assets[i].place.size_bytes;
      asset.scenario_set = static_cast<uint32_t>((group + 1) % groups);
    }
    return layout;
  }

  HashedContent hashed() const { return {content, hashes}; }

  Content content;
  std::vector<format::ContentHash> hashes;

 private:
  double share(Sizes sizes) {
    const auto uniform = [&](double from, double to) {
      return std::uniform_real_distribution(from, to)(random_);
    };
    switch (sizes) {
      case Sizes::log_normal:
        return std::lognormal_distribution(0.0, 1.5)(random_);
      case Sizes::wide:
        return std::lognormal_distribution(0.0, 2.2)(random_);
      case Sizes::uniform:
        return uniform(0.01, 2);
      case Sizes::equal:
        return uniform(0.98, 1.02);
      case Sizes::two_kinds:
        return uniform(0, 1) < 0.8 ? uniform(0.02, 0.1) : uniform(2, 7);
      case Sizes::heavy_tail:
        break;
    }
    return std::min(2000.0, std::pow(1 - uniform(0, 1), -1 / 1.2));
  }

  format::ContentHash new_hash() {
    ++made_;
    format::ContentHash hash = {};
    std::memcpy(hash.data(), &made_, sizeof(made_));
    return hash;
  }

  std::mt19937_64 random_;
  uint64_t made_ = 0;
};

}  // namespace seekless
