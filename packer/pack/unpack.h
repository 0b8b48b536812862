// Extracts assets from packs: one to a stream, or many to a folder, in the order of the packs.
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
  std::vector<std::string> globs;  // globs of the assets to extract; none: all
  bool overwrite = false;          // replaces existing files
  std::atomic<uint64_t>* done_bytes = nullptr;
};

struct Unpacked {
  uint64_t assets = 0;  // assets that are there now
  uint64_t bytes = 0;
  uint64_t kept_assets = 0;  // those of them that were there already, with the same content
};

// Writes each asset once, however many copies of it there are, below `folder`. A file that can't be
// written completely isn't left there; every block is checked before it is used. Files that already
// have the content are kept, so that a run continues where an earlier one ended. Fails at files
// with other content (unless they may be overwritten), damaged packs, and a full disk.
Result<Unpacked> unpack(const runtime::PackSet& set, const UnpackOptions& options,
                        const std::string& folder);

// Calls `visit` with the bytes of one asset, part by part, each from a checked block.
Result<void> unpack_one(const runtime::PlacedAsset& asset,
                        const std::function<Result<void>(std::span<const std::byte>)>& visit);

}  // namespace seekless
