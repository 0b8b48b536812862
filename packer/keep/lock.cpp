#include "packer/keep/lock.h"

#include <algorithm>

namespace seekless {

uint32_t HashedContent::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(
      content_.assets, path, {}, [](const Asset& asset) { return std::string_view(asset.path); });
  if (found == content_.assets.end() || std::string_view(found->path) != path) return kNone;
  return static_cast<uint32_t>(found - content_.assets.begin());
}

LayoutLock make_lock(const Layout& layout, const HashedContent& hashed) {
  return make_lock(layout, [&](std::string_view path) -> const format::ContentHash& {
    return hashed.hash_of(path);
  });
}

LayoutLock make_lock(const Layout& layout, const HashOfPath& hash_of) {
  LayoutLock lock = {.paths = layout.paths,
                     .block_bytes = layout.block_bytes,
                     .fold_case = layout.fold_case,
                     .read_through_bytes = layout.read_through_bytes,
                     .scenarios = {},
                     .scenario_sets = layout.scenario_sets,
                     .packs = {},
                     .changes = {}};
  for (const LaidScenario& scenario : layout.scenarios)
    lock.scenarios.push_back({scenario.name, scenario.runs, {}});
  for (const LaidPack& pack : layout.packs) {
    LockedPack& locked = lock.packs.emplace_back();
    locked.name = pack.name;
    locked.kind = pack.kind;
    locked.data_offset_bytes = pack.places->data_offset_bytes;
    locked.block_raw_bytes = pack.places->block_raw_bytes;
    locked.assets.reserve(pack.assets.size());
    for (size_t i = 0; i < pack.assets.size(); ++i) {
      const LaidAsset& asset = pack.assets[i];
      locked.assets.push_back({asset.path, asset.size_bytes, pack.places->assets[i],
                               asset.scenario_set, asset.alignment_bytes, hash_of(asset.path)});
    }
    std::ranges::sort(locked.assets, {}, &LockedAsset::path);
    locked.role = pack.role;
    locked.pack_id = pack.pack_id;
    for (const DeadAsset& dead : pack.dead)
      locked.dead.push_back({dead.path, dead.size_bytes, dead.place, dead.scenario_set,
                             dead.alignment_bytes, dead.hash});
    std::ranges::sort(locked.dead, {}, &LockedAsset::path);
  }
  return lock;
}

}  // namespace seekless
