#include "runtime/name_space.h"

#include <algorithm>

#include "runtime/asset_path.h"

namespace seekless::runtime {
namespace {

// Slots are used in turn, so a number is reused only after 2^20 times as many mounts.
constexpr size_t kFewestSlots = 64;

std::unexpected<Error> no_scenario(const char* name) {
  return make_error(SKL_NOT_FOUND,
                    {"no mount has the scenario '", name != nullptr ? name : "", "'"});
}

}  // namespace

NameSpace::NameSpace(const Memory& memory, std::shared_ptr<Core> core)
    : memory_(memory), core_(std::move(core)) {
  auto empty = NameView::make({}, {}, memory_);
  view_.store(empty->release());
}

NameSpace::~NameSpace() {
  delete view_.load();
}

Result<skl_mount_id> NameSpace::choose_id(std::vector<skl_mount_id>& slots) const {
  std::vector<bool> is_used(slots.size());
  const NameView::Mounts& mounts = view_.load()->mounts();
  for (const auto& mounted : mounts) is_used[slot_of(mounted->id)] = true;
  // Half of the slots stay free, so that none is reused immediately.
  if (2 * (mounts.size() + 1) > slots.size() && slots.size() < kMostMounts)
    slots.resize(std::max(kFewestSlots, 2 * slots.size()));
  is_used.resize(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto slot = static_cast<uint32_t>((next_slot_ + i) % slots.size());
    if (is_used[slot]) continue;
    const uint32_t latest = generation_of(slots[slot]);
    const uint32_t generation = latest == (UINT32_MAX >> kSlotBits) ? 1 : latest + 1;
    return slots[slot] = generation << kSlotBits | slot;
  }
  return make_error(SKL_INVALID,
                    {"expected at most ", kMostMounts, " mounts at a time; unmount some"});
}

Result<void> NameSpace::publish(NameView::Mounts mounts, std::vector<skl_mount_id> slots) {
  auto fresh = NameView::make(std::move(mounts), slots, memory_);
  if (!fresh) return std::unexpected(fresh.error());
  slots_ = std::move(slots);
  const NameView* const old = view_.exchange(fresh->release());
  readers_.retire(std::unique_ptr<Readers::Retired>(const_cast<NameView*>(old)));
  return {};
}

Result<skl_mount_id> NameSpace::add(MountPointer mount, const MountRules& rules) {
  auto mounted = std::make_shared<Mounted>();
  mounted->core = core_;
  mounted->mount = std::move(mount);
  mounted->at = rules.at.empty() ? "" : join({rules.at, "/"});
  mounted->priority = rules.priority;
  for (const std::string& path : rules.deletions) mounted->deletions.push_back(mounted->at + path);

  const std::lock_guard lock(mounting_);
  std::vector<skl_mount_id> slots = slots_;
  const auto id = choose_id(slots);
  if (!id) return id;
  mounted->id = *id;
  NameView::Mounts mounts = view_.load()->mounts();
  const auto above = std::ranges::upper_bound(mounts, rules.priority, {},
                                              [](const auto& other) { return other->priority; });
  mounts.insert(above, std::move(mounted));
  if (auto published = publish(std::move(mounts), std::move(slots)); !published)
    return std::unexpected(published.error());
  next_slot_ = slot_of(*id) + 1;
  return id;
}

Result<void> NameSpace::remove(skl_mount_id id) {
  const std::lock_guard lock(mounting_);
  NameView::Mounts mounts = view_.load()->mounts();
  if (std::erase_if(mounts, [&](const auto& mounted) { return mounted->id == id; }) > 0)
    return publish(std::move(mounts), slots_);
  if (id != 0 && slot_of(id) < slots_.size() && generation_of(id) != 0 &&
      generation_of(id) <= generation_of(slots_[slot_of(id)]))
    return make_error(SKL_STALE, {"mount: expected one that is mounted, found one that "
                                  "has been unmounted"});
  return make_error(SKL_INVALID, {"mount: expected one that this context gave out, found another"});
}

Result<void> NameSpace::replace(skl_mount_id id, MountPointer mount,
                                const std::vector<std::string>& deletions) {
  const std::lock_guard lock(mounting_);
  NameView::Mounts mounts = view_.load()->mounts();
  const auto found = std::ranges::find(mounts, id, [](const auto& mounted) { return mounted->id; });
  if (found == mounts.end()) return stale();
  auto changed = std::make_shared<Mounted>();
  changed->core = core_;
  changed->mount = std::move(mount);
  changed->id = id;
  changed->at = (*found)->at;
  changed->priority = (*found)->priority;
  for (const std::string& path : deletions) changed->deletions.push_back(changed->at + path);
  *found = std::move(changed);
  return publish(std::move(mounts), slots_);
}

skl_asset NameSpace::find(std::string_view path, uint64_t& size_bytes) const {
  const Readers::Guard guard(readers_);
  return view_.load()->find(path, size_bytes);
}

skl_path_hash NameSpace::hash(std::string_view path) const {
  const Readers::Guard guard(readers_);
  const uint64_t seed = view_.load()->hash_seed();
  return {seed, hash_asset_path(path, seed, false), hash_asset_path(path, seed, true)};
}

std::optional<skl_asset> NameSpace::find(const skl_path_hash& path, uint64_t& size_bytes) const {
  const Readers::Guard guard(readers_);
  const NameView& view = *view_.load();
  if (view.hash_seed() != path.seed) return {};
  return view.find(PathHashes{path.exact, path.folded}, size_bytes);
}

std::unexpected<Error> NameSpace::stale() {
  return make_error(SKL_STALE,
                    {"asset: expected one of a mount that is there, found one of a mount that "
                     "has been unmounted; find its path again"});
}

Result<Located> NameSpace::locate(skl_asset asset) const {
  return with(asset, [&](const Mounted& mounted, uint32_t number) -> Result<Located> {
    auto place = mounted.mount->place(number);
    if (!place) return std::unexpected(place.error());
    return Located{asset, mounted.mount, std::move(*place)};
  });
}

Result<FoundScenario> NameSpace::find_scenario(const char* name) const {
  auto found = find_named(name);
  if (found || name == nullptr || found.error().result != SKL_NOT_FOUND) return found;
  auto typical = find_named(typical_of(name).c_str());
  return typical ? typical : found;
}

Result<FoundScenario> NameSpace::find_named(const char* name) const {
  const Readers::Guard guard(readers_);
  const NameView::Mounts& mounts = view_.load()->mounts();
  for (size_t i = mounts.size(); i-- > 0;) {
    const PackSet* set = mounts[i]->mount->pack_set();
    const Catalog* catalog = set != nullptr ? set->catalog() : nullptr;
    if (name == nullptr && (set == nullptr || catalog != nullptr))
      return make_error(SKL_INVALID,
                        {"scenario: expected a name, as the uppermost mount isn't a single pack"});
    if (name != nullptr && catalog == nullptr) continue;
    const format::Scenario* found = name != nullptr ? catalog->find_scenario(name) : nullptr;
    if (name == nullptr || found != nullptr)
      return FoundScenario{mounts[i]->mount, found, mounts[i]->asset(0),
                           found != nullptr && typical_of(name) == name};
  }
  return no_scenario(name);
}

Result<void> NameSpace::set_scenario(const char* name) const {
  const Readers::Guard guard(readers_);
  bool is_known = name == nullptr;
  for (const auto& mounted : view_.load()->mounts()) {
    const PackSet* set = mounted->mount->pack_set();
    if (set == nullptr || set->catalog() == nullptr) continue;
    const format::Scenario* found =
        name != nullptr ? set->catalog()->find_scenario_or_typical(name) : nullptr;
    set->set_scenario(found);
    is_known |= found != nullptr;
  }
  return is_known ? Result<void>() : no_scenario(name);
}

Result<void> NameSpace::list(const std::function<bool(const std::string& path, skl_asset asset,
                                                      uint64_t size_bytes)>& visit) const {
  const Readers::Guard guard(readers_);
  const NameView& view = *view_.load();
  bool goes_on = true;
  for (const auto& mounted : view.mounts()) {
    const auto visit_one = [&](uint32_t number, const std::string& own) -> Result<void> {
      const std::string path = mounted->at + own;
      uint64_t size = 0;
      const skl_asset asset = mounted->asset(number);
      if (goes_on && view.find(path, size) == asset) goes_on = visit(path, asset, size);
      return {};
    };
    if (auto visited = mounted->mount->for_each_path(visit_one); !visited) return visited;
  }
  return {};
}

}  // namespace seekless::runtime
