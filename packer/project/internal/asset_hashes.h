// XXH3-128 of each asset's bytes, read only where an earlier build doesn't know it.
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
  known,        // of the last build, as nothing has changed since
  read,         // read in this one
  provisional,  // not read whole, and different from that of other content: packing will tell
};

struct AssetHashes {
  std::vector<format::ContentHash> hashes;  // by index in Content::assets
  std::vector<HashOrigin> origins;
  uint64_t read_bytes = 0;
};

// Lists the assets to hash, and what is known of them.
struct HashInput {
  const Content& content;
  const KnownAssets* known = nullptr;  // null: nothing
  bool trusts_stamps = true;           // false: everything is read
};

// Says how much is read of assets that no earlier build knows.
enum class NewAssets : uint8_t {
  unread,
  equal_sizes,  // so that equal content has equal hashes
  all,          // so that they can be compared with a lock
};

struct HashOptions {
  NewAssets new_assets = NewAssets::unread;
  unsigned threads = 1;
  std::atomic<uint64_t>* done_bytes = nullptr;  // may be null
};

// Reads what has changed its stamp but not its size, so that only other bytes count as a change; of
// an archive's entries those with another CRC-32. What is new or has another size is read as the
// options say. The first error in the order of the assets ends it.
Result<AssetHashes> hash_assets(const HashInput& input, const HashOptions& options);

}  // namespace seekless
