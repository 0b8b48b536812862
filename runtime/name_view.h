// Holds all visible paths of all mounts. A view is immutable, so readers need no lock; mounting and
// unmounting make a new view.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/mount.h"
#include "runtime/name_table.h"
#include "runtime/readers.h"

namespace seekless::runtime {

struct Core;

// A mount, and how the mounting rules apply to it.
struct Mounted {
  Mounted() = default;
  ~Mounted();
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

  // Its leases borrow the mount; null if there can be none.
  std::shared_ptr<Core> core;
  MountPointer mount;
  skl_mount_id id = 0;
  std::string at;  // ends with '/'; empty: the root
  int32_t priority = 0;
  // Begin with `at`; with '/' at the end, everything below that folder.
  std::vector<std::string> deletions;

  // The hashes of the mount's paths below `at`, by asset number, and their seed; only for a mount
  // without a hash table. The name space keeps them for the next view.
  std::vector<uint64_t> path_hashes;
  uint64_t hash_seed = 0;

  skl_asset asset(uint32_t number) const { return uint64_t{id} << 32 | number; }
};

// A mount's number consists of its slot in the low bits, and how many mounts have had that slot in
// the high bits.
inline constexpr uint32_t kSlotBits = 12;
inline constexpr uint32_t kMostMounts = 1U << kSlotBits;
constexpr uint32_t slot_of(skl_mount_id id) {
  return id & (kMostMounts - 1);
}
constexpr uint32_t generation_of(skl_mount_id id) {
  return id >> kSlotBits;
}

// The two hashes of a path: one for mounts that distinguish case, and one for mounts that don't.
struct PathHashes {
  uint64_t exact = 0;
  uint64_t folded = 0;
};

class NameView final : public Readers::Retired {
 public:
  using Mounts = std::vector<std::shared_ptr<Mounted>>;

  // `mounts` go from the lowest to the highest. `slots[i]` is the latest mount that had slot i. May
  // read names of assets, and fails if they are damaged. Throws std::bad_alloc.
  static Result<std::unique_ptr<NameView>> make(Mounts mounts, std::vector<skl_mount_id> slots,
                                                const Memory& memory);

  // Returns the asset at the path, or 0.
  skl_asset find(std::string_view path, uint64_t& size_bytes) const;
  // The same for hashes with this view's seed.
  skl_asset find(const PathHashes& path, uint64_t& size_bytes) const;
  uint64_t hash_seed() const { return hash_seed_; }
  // Returns null if the asset's mount was unmounted. Errors: INVALID if the context never gave out
  // this asset.
  Result<const Mounted*> mount_of(skl_asset asset) const;
  const Mounts& mounts() const { return mounts_; }

 private:
  struct Slot {
    skl_mount_id latest = 0;
    const Mounted* mounted = nullptr;
  };
  class Builder;

  NameView() = default;

  Mounts mounts_;
  std::vector<Slot> slots_;
  // The largest pack set or pack whose own hash table can be used as it is mounted. The tables
  // below hold all other mounts, so a game's table isn't copied.
  const PackSet* direct_ = nullptr;
  const Mounted* direct_mounted_ = nullptr;
  uint32_t direct_rank_ = 0;
  uint64_t hash_seed_ = 0;  // the seed of all three tables
  NameTable exact_;         // paths of mounts that distinguish case
  NameTable folded_;        // paths of mounts that ignore case
};

}  // namespace seekless::runtime
