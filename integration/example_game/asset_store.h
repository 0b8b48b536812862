// The game's own memory: what has been loaded, by asset. Small assets are copied out of their
// blocks, so that the blocks can be reused. Large assets stay where they were read, without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <seekless.hpp>

namespace game {

class AssetStore {
 public:
  // Takes whole assets, or parts in their order. Returns true once the asset is complete.
  bool take(skl::Lease lease);
  void put(skl_asset asset, std::vector<std::byte> bytes);
  bool has(skl_asset asset) const { return loaded_.contains(asset); }
  std::span<const std::byte> bytes(skl_asset asset) const;
  size_t count() const { return loaded_.size(); }
  uint64_t total_bytes() const;

 private:
  struct Loaded {
    skl::Lease lease;             // used for a large asset that is one part
    std::vector<std::byte> copy;  // used for any other asset
  };

  std::unordered_map<skl_asset, Loaded> loaded_;
  std::unordered_map<skl_asset, std::vector<std::byte>> incomplete_;
};

}  // namespace game
