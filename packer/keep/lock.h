// layout.lock: the decisions of a layout with the place, size and hash of each asset, kept beside a
// build's files in version control, so that the next build moves nothing that needn't move, and a
// fresh clone makes the same bytes. Described in schemas/lock.schema.json.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/keep/internal/change_history.h"
#include "packer/layout/layout.h"
#include "runtime/pack_format.h"

namespace seekless {

// Content with the XXH3-128 of each asset's bytes. Both outlive it.
class HashedContent {
 public:
  // `hashes` are by index in `content.assets`.
  HashedContent(const Content& content, std::span<const format::ContentHash> hashes)
      : content_(content), hashes_(hashes) {}

  const Content& content() const { return content_; }
  const format::ContentHash& hash(uint32_t asset) const { return hashes_[asset]; }
  // The index of the asset with this path; kNone if there is none.
  uint32_t find(std::string_view path) const;
  // Of an asset that is in the content.
  const format::ContentHash& hash_of(std::string_view path) const { return hashes_[find(path)]; }

  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  const Content& content_;
  std::span<const format::ContentHash> hashes_;
};

struct LockedAsset {
  PooledPath path;
  uint64_t size_bytes = 0;
  PlaceInPack place;
  uint32_t scenario_set = 0;  // index in LayoutLock::scenario_sets
  uint32_t alignment_bytes = kDefaultAlignmentBytes;
  format::ContentHash hash = {};

  bool operator==(const LockedAsset&) const = default;
};

struct LockedPack {
  std::string name;
  PackKind kind = PackKind::common;
  uint64_t data_offset_bytes = 0;         // of the first block in the file
  std::vector<uint32_t> block_raw_bytes;  // of each block, holes included
  std::vector<LockedAsset> assets;        // sorted by path
  // Where packs stay from build to build:
  PackRole role = PackRole::home;
  std::optional<uint64_t> pack_id = {};  // of its file, Header::checksum
  std::vector<LockedAsset> dead = {};    // what else the file holds, sorted by path

  bool operator==(const LockedPack&) const = default;
};

struct LayoutLock {
  PathPool paths = {};  // of the assets
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool fold_case = false;
  uint64_t read_through_bytes = kDefaultReadThroughBytes;
  std::vector<LaidScenario> scenarios;  // without predictions
  std::vector<std::vector<uint32_t>> scenario_sets;
  std::vector<LockedPack> packs;
  ChangeHistory changes = {};  // where packs stay from build to build

  bool operator==(const LayoutLock&) const = default;
};

// What `layout`, whose packs all have places, decided. `hashed` has all its assets.
LayoutLock make_lock(const Layout& layout, const HashedContent& hashed);
// The same where the content isn't in memory any more.
using HashOfPath = std::function<const format::ContentHash&(std::string_view path)>;
LayoutLock make_lock(const Layout& layout, const HashOfPath& hash_of);

// Errors: damaged for a file that isn't a lock, or holds one that no build makes. Takes memory in
// proportion to the file, less the paths that `content` has; it may be null, and outlives the lock.
Result<LayoutLock> read_lock(const std::string& path, const Content* content = nullptr);
// Deterministic; whole or not at all. One line an asset, sorted by path, so that version control
// shows and merges what changed. The lock is one that make_lock or read_lock gave.
Result<void> write_lock(const LayoutLock& lock, const std::string& path);

}  // namespace seekless
