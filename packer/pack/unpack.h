// Brings assets out of packs again: one to a stream, or many to a folder, in the order they lie.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "runtime/pack_set.h"

namespace seekless {

struct UnpackOptions {
  std::vector<std::string> globs;  // what to bring out; none: everything
  bool overwrite = false;          // files that are there already
  std::atomic<uint64_t>* done_bytes = nullptr;
};

struct Unpacked {
  uint64_t assets = 0;  // that are there now
  uint64_t bytes = 0;
  uint64_t kept_assets = 0;  // of those: that were there already, with the same content
};

// Writes each asset once, however many copies of it there are, below `folder`. A file that can't be
// written whole isn't there afterwards; every block is checked before anything of it is used. Files
// with the very content are kept, so that a run after one that ended early goes on where that was.
// Errors: files with other content (unless they may be overwritten), damaged packs, a full disk.
Result<Unpacked> unpack(const runtime::PackSet& set, const UnpackOptions& options,
                        const std::string& folder);

// Calls `visit` with the bytes of one asset, part by part, each of a checked block.
Result<void> unpack_one(const runtime::PlacedAsset& asset,
                        const std::function<Result<void>(std::span<const std::byte>)>& visit);

}  // namespace seekless
