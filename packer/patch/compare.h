// What became of the assets from one pack set to another, by the sets' tables alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/patch/set_files.h"

namespace seekless {

struct AssetChange {
  std::string path;
  std::string pack;  // its first one: in the new set, or in the old if it was removed
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
};

struct SetChanges {
  std::vector<AssetChange> added;  // each sorted by path
  std::vector<AssetChange> removed;
  std::vector<AssetChange> changed;  // other content
  std::vector<AssetChange> moved;    // the same content in other packs, or elsewhere in one
  uint64_t same_assets = 0;
  uint64_t same_bytes = 0;
};

// Paths, content hashes and places of all assets; no content is read. Places are compared within
// their MiB of the file, so what was only pushed back by whole MiB hasn't moved.
Result<SetChanges> compare_sets(const SetFiles& old, const SetFiles& now);

}  // namespace seekless
