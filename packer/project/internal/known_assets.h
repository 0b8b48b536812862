// What the last build knew of today's assets: its files and assets, as they are read from the state
// one by one, are matched with the content, and only that is kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/project/internal/build_state.h"
#include "packer/project/internal/input_files.h"
#include "runtime/pack_format.h"

namespace seekless {

// Describes an asset in the last build.
enum class AssetBefore : uint8_t {
  missing,
  resized,   // of another size
  doubtful,  // of its size, but perhaps of other bytes
  same,      // its file's stamp says so, or its archive's directory
};

struct KnownAssets {
  std::vector<AssetBefore> before;          // by asset of the content
  std::vector<format::ContentHash> hashes;  // then; of those that were there
  std::vector<std::string> removed;         // paths of assets that aren't there any more, sorted
};

// Takes the state's files, then its assets, each in their order.
class AssetMatcher {
 public:
  // All of it outlives this. `file_of_source` is by source of the content.
  AssetMatcher(const Content& content, std::span<const InputFile> files,
               std::span<const uint32_t> file_of_source);

  void add(const KnownFile& file);
  void add(const KnownAsset& asset);
  KnownAssets finish() { return std::move(known_); }

 private:
  AssetBefore compare(const KnownAsset& before, const Place& now) const;

  const Content& content_;
  const std::span<const InputFile> files_;
  const std::span<const uint32_t> file_of_source_;
  size_t next_file_ = 0;
  size_t next_asset_ = 0;
  // The index is the number in the state.
  std::vector<uint32_t> unchanged_;  // the file in files_; none: changed, or gone
  std::vector<bool> is_archive_;
  KnownAssets known_;
};

}  // namespace seekless
