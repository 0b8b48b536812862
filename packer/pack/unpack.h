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
  std::vector<std::string> globs;  // globs of the assets to extract; if empty, all
  bool overwrite = false;          // replaces existing files
  std::atomic<uint64_t>* done_bytes = nullptr;
};

struct Unpacked {
  uint64_t assets = 0;  // number of assets in the folder now
  uint64_t bytes = 0;
  uint64_t kept_assets = 0;  // number of these assets that were there before, with the same content
};

// Writes each asset once below `folder`, however many copies of it there are. Checks every block
// before using it, and leaves no incomplete file. Keeps files that already have the content, so
// that a run continues where an earlier one ended. Fails if a file has other content (unless it may
// be overwritten), if a pack is damaged, and if the disk is full.
Result<Unpacked> unpack(const runtime::PackSet& set, const UnpackOptions& options,
                        const std::string& folder);

// Calls `visit` with the bytes of one asset, part by part, each from a checked block.
Result<void> unpack_one(const runtime::PlacedAsset& asset,
                        const std::function<Result<void>(std::span<const std::byte>)>& visit);

}  // namespace seekless
