// Combines all mounts of a context: it finds the asset of a path, the place of an asset, and the
// set that has a scenario. Readers take no lock: mounting and unmounting publish a new immutable
// view, and the old one is freed when the last reader has left it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/memory.h"
#include "runtime/mount.h"
#include "runtime/name_view.h"
#include "runtime/readers.h"

namespace seekless::runtime {

struct MountRules {
  std::string at;  // the folder where the mount appears, without '/' at its end; empty: the root
  // A higher priority hides a lower one; at equal priority, the later mount hides the earlier.
  int32_t priority = 0;
  // Paths below `at`; with '/' at the end, everything below that folder.
  std::vector<std::string> deletions;
};

class NameSpace {
 public:
  // Without a core, there are no leases.
  explicit NameSpace(const Memory& memory, std::shared_ptr<Core> core = nullptr);
  ~NameSpace();
  NameSpace(const NameSpace&) = delete;
  NameSpace& operator=(const NameSpace&) = delete;

  // Errors: INVALID (too many mounts), DAMAGED and IO (the mount's names are needed, and can't be
  // read).
  Result<skl_mount_id> add(MountPointer mount, const MountRules& rules);
  // Errors: STALE (unmounted already), INVALID (never mounted).
  Result<void> remove(skl_mount_id id);

  // Replaces a mount by another one in which the common assets have the same numbers. Errors: STALE
  // (it isn't mounted), and those of add().
  Result<void> replace(skl_mount_id id, MountPointer mount,
                       const std::vector<std::string>& deletions);

  // Returns the asset at the path, or 0.
  skl_asset find(std::string_view path, uint64_t& size_bytes) const;
  // Hashes a path for finding it later, as long as the hash seed stays the same.
  skl_path_hash hash(std::string_view path) const;
  // Returns none if the hash has another seed.
  std::optional<skl_asset> find(const skl_path_hash& path, uint64_t& size_bytes) const;
  // Calls `use(const Mounted&, number)`, which returns a Result<...>, and keeps the mount alive
  // meanwhile. Errors: INVALID (the number was never given out), STALE (its mount is gone), and
  // those of `use`.
  template <typename Use>
  auto with(skl_asset asset, Use use) const -> decltype(use(std::declval<const Mounted&>(), 0U)) {
    const Readers::Guard guard(readers_);
    const auto mounted = view_.load()->mount_of(asset);
    if (!mounted) return std::unexpected(mounted.error());
    if (*mounted == nullptr) return stale();
    return use(**mounted, static_cast<uint32_t>(asset));
  }
  // Finds an asset's place for reads at a later time or on another thread. Errors: those of with(),
  // and those of Mount::place.
  Result<Located> locate(skl_asset asset) const;
  // If `name` is null, finds all of the uppermost mount, which must be a single pack. If no set has
  // the scenario, finds the typical scenario of its folder. Errors: NOT_FOUND, INVALID.
  Result<FoundScenario> find_scenario(const char* name) const;
  // Sets the scenario of all mounted sets; a set without it uses the typical scenario of its
  // folder. A null name means that no scenario is being loaded. Errors: NOT_FOUND (no set has
  // either scenario).
  Result<void> set_scenario(const char* name) const;
  // Calls `visit` for every visible path, mount by mount from the lowest, until it returns false.
  // Errors: those of Mount::for_each_path.
  Result<void> list(const std::function<bool(const std::string& path, skl_asset asset,
                                             uint64_t size_bytes)>& visit) const;

  const Readers& readers() const { return readers_; }

 private:
  static std::unexpected<Error> stale();
  Result<FoundScenario> find_named(const char* name) const;
  Result<skl_mount_id> choose_id(std::vector<skl_mount_id>& slots) const;
  Result<void> publish(NameView::Mounts mounts, std::vector<skl_mount_id> slots);

  const Memory memory_;
  const std::shared_ptr<Core> core_;
  Readers readers_;
  std::atomic<const NameView*> view_ = nullptr;
  std::mutex mounting_;  // locked by mounting and unmounting, never by readers
  // The latest mount that had each slot; 0 means none yet.
  std::vector<skl_mount_id> slots_;
  uint32_t next_slot_ = 0;
};

}  // namespace seekless::runtime
