#include "asset_store.h"

namespace game {
namespace {

// A whole block stays in memory while any part of it is leased, so keeping a lease pays only for
// assets that fill most of a block.
constexpr size_t kKeepLeaseBytes = 1024 * 1024;

}  // namespace

bool AssetStore::take(skl::Lease lease) {
  const skl_asset asset = lease.asset();
  if (lease.is_whole() && lease.bytes().size() >= kKeepLeaseBytes && lease.claim()) {
    loaded_[asset] = {std::move(lease), {}};
    return true;
  }
  std::vector<std::byte>& bytes = incomplete_[asset];
  if (lease.offset_bytes() == 0) bytes.reserve(lease.asset_bytes());
  bytes.insert(bytes.end(), lease.bytes().begin(), lease.bytes().end());
  if (!lease.is_last()) return false;
  put(asset, std::move(bytes));
  incomplete_.erase(asset);
  return true;
}

void AssetStore::put(skl_asset asset, std::vector<std::byte> bytes) {
  loaded_[asset] = {{}, std::move(bytes)};
}

std::span<const std::byte> AssetStore::bytes(skl_asset asset) const {
  const auto found = loaded_.find(asset);
  if (found == loaded_.end()) return {};
  return found->second.lease ? found->second.lease.bytes() : std::span(found->second.copy);
}

uint64_t AssetStore::total_bytes() const {
  uint64_t total = 0;
  for (const auto& [asset, loaded] : loaded_) total += bytes(asset).size();
  return total;
}

}  // namespace game
