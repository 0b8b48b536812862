// Defines layout.lock: the decisions of a layout, with the place, size and hash of each asset. It
// is kept with a build's files in version control, so that the next build moves only what must
// move, and a fresh clone makes the same bytes. schemas/lock.schema.json describes the format.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/base/none.h"
#include "packer/content/content.h"
#include "packer/keep/change_history.h"
#include "packer/layout/layout.h"
#include "runtime/pack_format.h"

namespace seekless {

// Holds content together with the XXH3-128 of each asset's bytes. Both must outlive it.
class HashedContent {
 public:
  // `hashes` is indexed like `content.assets`.
  HashedContent(const Content& content, std::span<const format::ContentHash> hashes)
      : content_(content), hashes_(hashes) {}

  const Content& content() const { return content_; }
  const format::ContentHash& hash(uint32_t asset) const { return hashes_[asset]; }
  // Returns the index of the asset with this path; kNone if there is none.
  uint32_t find(std::string_view path) const;
  // The asset must be in the content.
  const format::ContentHash& hash_of(std::string_view path) const { return hashes_[find(path)]; }

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
  uint64_t data_offset_bytes = 0;         // where the first block begins in the file
  std::vector<uint32_t> block_raw_bytes;  // size of each block, holes included
  std::vector<LockedAsset> assets;        // sorted by path
  // These are used if packs stay from build to build:
  PackRole role = PackRole::home;
  std::optional<uint64_t> pack_id = {};  // Header::checksum of its file
  std::vector<LockedAsset> dead = {};    // other assets in the file, sorted by path

  bool operator==(const LockedPack&) const = default;
};

struct LayoutLock {
  PathPool paths = {};  // paths of the assets
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool fold_case = false;
  uint64_t read_through_bytes = kDefaultReadThroughBytes;
  std::vector<LaidScenario> scenarios;  // without predictions
  std::vector<std::vector<uint32_t>> scenario_sets;
  std::vector<LockedPack> packs;
  ChangeHistory changes = {};

  bool operator==(const LayoutLock&) const = default;
};

// Returns the decisions of `layout`. All its packs must have places, and `hashed` must have all its
// assets.
LayoutLock make_lock(const Layout& layout, const HashedContent& hashed);
// Does the same if the content is no longer in memory.
using HashOfPath = std::function<const format::ContentHash&(std::string_view path)>;
LayoutLock make_lock(const Layout& layout, const HashOfPath& hash_of);

// Fails with kind `damaged` for a file that isn't a lock, or for a lock that no build makes. Uses
// memory in proportion to the file, except for paths that `content` already holds. `content` may be
// null, and must outlive the lock.
Result<LayoutLock> read_lock(const std::string& path, const Content* content = nullptr);
// Writes the file whole or not at all; the result is deterministic. Each asset is a line, sorted by
// path, so that version control can show and merge changes. `lock` must come from make_lock or
// read_lock.
Result<void> write_lock(const LayoutLock& lock, const std::string& path);

}  // namespace seekless
