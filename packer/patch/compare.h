// Compares the assets of two pack sets, using only the sets' tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/patch/set_files.h"

namespace seekless {

struct AssetChange {
  std::string path;
  std::string pack;  // its first pack in the new set; for a removed asset, in the old set
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
};

struct SetChanges {
  std::vector<AssetChange> added;  // each list is sorted by path
  std::vector<AssetChange> removed;
  std::vector<AssetChange> changed;  // assets whose content differs
  std::vector<AssetChange> moved;    // the same content in other packs, or at another place in one
  uint64_t same_assets = 0;
  uint64_t same_bytes = 0;
};

// Compares paths, content hashes and places of all assets; reads no content. Places are compared
// within their MiB of the file, so an asset that moved by whole MiB counts as not moved.
Result<SetChanges> compare_sets(const SetFiles& old, const SetFiles& now);

}  // namespace seekless
