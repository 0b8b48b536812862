// Finds what the last build knew about today's assets. Its files and assets are read from the state
// one by one and matched with the content; only matches are kept.
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
  resized,   // the asset's size has changed
  doubtful,  // the size is the same, but the bytes may have changed
  same,      // unchanged, according to its file's stamp or its archive's directory
};

struct KnownAssets {
  std::vector<AssetBefore> before;  // indexed like the content's assets
  // Hashes in the last build; valid for assets that existed then.
  std::vector<format::ContentHash> hashes;
  std::vector<std::string> removed;  // paths of assets that no longer exist, sorted
};

// Takes the state's files, then its assets, each in their order.
class AssetMatcher {
 public:
  // All arguments must outlive the object. `file_of_source` is indexed by source of the content.
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
  // Indexed by file of the state: its index in files_, or none if it was changed or is gone.
  std::vector<uint32_t> unchanged_;
  std::vector<SourceKind> kinds_;  // indexed by file of the state
  KnownAssets known_;
};

}  // namespace seekless
