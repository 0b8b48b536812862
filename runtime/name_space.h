// All mounts of a context as one: paths to assets, assets to where they lie, scenarios to the set
// that has them. Readers take no lock: mounting and unmounting publish a new immutable view, and
// the old one is freed when the last reader has left it.
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
  std::string at;                      // a folder, without '/' at its end; empty: the root
  int32_t priority = 0;                // higher hides lower, and among equals later hides earlier
  std::vector<std::string> deletions;  // below `at`; with '/' at the end: all below
};

class NameSpace {
 public:
  explicit NameSpace(const Memory& memory);
  ~NameSpace();
  NameSpace(const NameSpace&) = delete;
  NameSpace& operator=(const NameSpace&) = delete;

  // Errors: INVALID (too many mounts), DAMAGED and IO (its names are needed, and can't be read).
  Result<skl_mount_id> add(MountPointer mount, const MountRules& rules);
  // Errors: STALE (unmounted already), INVALID (never mounted).
  Result<void> remove(skl_mount_id id);

  // Another mount in place of that one, with the same numbers for what both have. Errors: STALE (it
  // isn't mounted), and as above.
  Result<void> replace(skl_mount_id id, MountPointer mount,
                       const std::vector<std::string>& deletions);

  // The asset that the path names, or 0.
  skl_asset find(std::string_view path, uint64_t& size_bytes) const;
  // For finding the path later, as long as the seed of the paths' hashes stays.
  skl_path_hash hash(std::string_view path) const;
  // None: the hash is of another seed.
  std::optional<skl_asset> find(const skl_path_hash& path, uint64_t& size_bytes) const;
  // Calls `use(const Mounted&, number)`, which returns a Result<...>, and keeps the mount alive
  // meanwhile. Errors: INVALID (never given out), STALE (its mount is gone), and those of `use`.
  template <typename Use>
  auto with(skl_asset asset, Use use) const -> decltype(use(std::declval<const Mounted&>(), 0U)) {
    const Readers::Guard guard(readers_);
    const auto mounted = view_.load()->mount_of(asset);
    if (!mounted) return std::unexpected(mounted.error());
    if (*mounted == nullptr) return stale();
    return use(**mounted, static_cast<uint32_t>(asset));
  }
  // For reads at a later time or on another thread. Errors: as above, and those of Mount::place.
  Result<Located> locate(skl_asset asset) const;
  // `name` null: all of the uppermost mount, which must be a single pack. Where no set has the
  // scenario, the typical one of its folder. Errors: NOT_FOUND, INVALID.
  Result<FoundScenario> find_scenario(const char* name) const;
  // For all sets that are mounted; those that don't have it take the typical one of its
  // folder. If the name is
  // null, none is loaded. Errors: NOT_FOUND (no set has either).
  Result<void> set_scenario(const char* name) const;
  // Calls `visit` for every path that is visible, until it returns false; mount by mount from the
  // lowest. Errors: those of Mount::for_each_path.
  Result<void> list(const std::function<bool(const std::string& path, skl_asset asset,
                                             uint64_t size_bytes)>& visit) const;

  const Readers& readers() const { return readers_; }

 private:
  static std::unexpected<Error> stale();
  Result<FoundScenario> find_named(const char* name) const;
  Result<skl_mount_id> choose_id(std::vector<skl_mount_id>& slots) const;
  Result<void> publish(NameView::Mounts mounts, std::vector<skl_mount_id> slots);

  const Memory memory_;
  Readers readers_;
  std::atomic<const NameView*> view_ = nullptr;
  std::mutex mounting_;  // between those who mount; readers never take it
  // The latest mount that had each slot; 0: none yet.
  std::vector<skl_mount_id> slots_;
  uint32_t next_slot_ = 0;
};

}  // namespace seekless::runtime
