// Computes the XXH3-128 of each asset's bytes, and reads only assets whose hash an earlier build
// doesn't know.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/project/internal/known_assets.h"
#include "runtime/pack_format.h"

namespace seekless {

enum class HashOrigin : uint8_t {
  known,        // known from the last build, because nothing has changed since
  read,         // read in this build
  provisional,  // not read whole, but different from all other content; packing will find the hash
};

struct AssetHashes {
  std::vector<format::ContentHash> hashes;  // indexed like Content::assets
  std::vector<HashOrigin> origins;
  uint64_t read_bytes = 0;
};

// Lists the assets to hash, and what is already known about them.
struct HashInput {
  const Content& content;
  const KnownAssets* known = nullptr;  // null if nothing is known
  bool trusts_stamps = true;           // if false, everything is read
};

// Tells which assets unknown to earlier builds are read.
enum class NewAssets : uint8_t {
  unread,
  equal_sizes,  // finds equal content
  all,          // hashes all assets, so that they can be compared with a lock
};

struct HashOptions {
  NewAssets new_assets = NewAssets::unread;
  unsigned threads = 1;
  std::atomic<uint64_t>* done_bytes = nullptr;  // may be null
};

// Hashes the assets. If only an asset's stamp changed, the asset is read, and counts as changed
// only if its bytes differ; an archive's entry is read only if its CRC-32 differs. Assets that are
// new or have another size are read as the options say. Stops at the first error in the order of
// the assets.
Result<AssetHashes> hash_assets(const HashInput& input, const HashOptions& options);

}  // namespace seekless
