// Opens pack sets for the commands that list and unpack them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "runtime/pack_set.h"

namespace seekless {

// Holds a consistent snapshot of a pack set or a single pack, and the open files below it.
class OpenSet {
 public:
  static Result<OpenSet> open(const std::string& path);

  const runtime::PackSet& set() const { return *set_; }

  struct ListedAsset {
    std::string path;
    runtime::PlacedAsset place;
    uint32_t pack = 0;  // its number in the set
  };
  // Visits every asset of every pack in the packs' order, including copies, but not leftovers of
  // earlier releases.
  Result<void> for_each(const std::function<Result<void>(const ListedAsset&)>& visit) const;
  std::string pack_name(uint32_t pack) const;

 private:
  std::unique_ptr<runtime::FileIo> io_;
  std::unique_ptr<runtime::PackSet> set_;
};

// Returns the error if no asset of the set at `path` matches the patterns.
std::unexpected<Error> no_asset_matches(const std::string& path);

}  // namespace seekless
