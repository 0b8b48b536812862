#include "runtime/name_space.h"

#include <string>

#include "runtime/asset_path.h"

namespace seekless::runtime {
namespace {

// An asset's handle: the number of its mount, from 1, above its number in that mount.
skl_asset asset_base(size_t mount) {
  return (uint64_t{mount} + 1) << 32;
}

}  // namespace

NameSpace::NameSpace() {
  views_.push_back(std::make_unique<const View>());
  view_.store(views_.back().get(), std::memory_order_release);
}

NameSpace::~NameSpace() = default;

Result<skl_mount_id> NameSpace::add(MountPointer mount) {
  const std::lock_guard lock(mounting_);
  auto fresh = std::make_unique<View>(*views_.back());
  fresh->push_back(std::move(mount));
  const auto id = static_cast<skl_mount_id>(fresh->size());
  views_.push_back(std::move(fresh));
  view_.store(views_.back().get(), std::memory_order_release);
  return id;
}

skl_asset NameSpace::find(std::string_view path, uint64_t& size_bytes) const {
  const View& view = *view_.load(std::memory_order_acquire);
  uint64_t hash = 0;
  const PackSet* hashed_for = nullptr;
  for (size_t mount = view.size(); mount-- > 0;) {
    const PackSet& set = *view[mount]->pack_set();
    // Nearly all sets hash alike, so that one hash serves them all.
    if (hashed_for == nullptr || hashed_for->hash_seed() != set.hash_seed() ||
        hashed_for->folds_case() != set.folds_case())
      hash = hash_asset_path(path, set.hash_seed(), set.folds_case());
    hashed_for = &set;
    const uint32_t number = set.find(hash);
    if (number == format::kEmptySlot) continue;
    size_bytes = set.size_bytes(number);
    return asset_base(mount) | number;
  }
  return 0;
}

Result<Located> NameSpace::locate(skl_asset asset) const {
  const View& view = *view_.load(std::memory_order_acquire);
  const uint64_t mount = asset >> 32;
  const auto number = static_cast<uint32_t>(asset);
  if (mount == 0 || mount > view.size() || number >= view[mount - 1]->asset_count())
    return std::unexpected(
        Error{SKL_INVALID, "asset: expected one that this context gave out, found another"});
  auto place = view[mount - 1]->place(number);
  if (!place) return std::unexpected(place.error());
  return Located{asset, view[mount - 1], std::move(*place)};
}

Result<FoundScenario> NameSpace::find_scenario(const char* name) const {
  const View& view = *view_.load(std::memory_order_acquire);
  for (size_t mount = view.size(); mount-- > 0;) {
    const Catalog* catalog = view[mount]->pack_set()->catalog();
    const format::Scenario* found = nullptr;
    if (name != nullptr && catalog != nullptr) found = catalog->find_scenario(name);
    if (name == nullptr && catalog != nullptr)
      return std::unexpected(
          Error{SKL_INVALID, "scenario: expected a name, as the latest mount is a pack set"});
    if (name == nullptr || found != nullptr)
      return FoundScenario{view[mount], found, asset_base(mount)};
  }
  return std::unexpected(Error{SKL_NOT_FOUND, "no mount has the scenario '" +
                                                  std::string(name != nullptr ? name : "") + "'"});
}

}  // namespace seekless::runtime
