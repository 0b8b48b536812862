#include "packer/project/internal/known_assets.h"

#include "packer/base/none.h"

namespace seekless {

AssetMatcher::AssetMatcher(const Content& content, std::span<const InputFile> files,
                           std::span<const uint32_t> file_of_source)
    : content_(content), files_(files), file_of_source_(file_of_source) {
  known_.before.resize(content.assets.size(), AssetBefore::missing);
  known_.hashes.resize(content.assets.size());
}

void AssetMatcher::add(const KnownFile& file) {
  while (next_file_ < files_.size() && sort_key_of(files_[next_file_]) < sort_key_of(file))
    ++next_file_;
  const bool is_unchanged = file.is_settled && next_file_ < files_.size() &&
                            sort_key_of(files_[next_file_]) == sort_key_of(file) &&
                            files_[next_file_].stamp == file.stamp;
  unchanged_.push_back(is_unchanged ? static_cast<uint32_t>(next_file_) : kNone);
  kinds_.push_back(file.kind);
}

void AssetMatcher::add(const KnownAsset& asset) {
  const std::vector<Asset>& assets = content_.assets;
  while (next_asset_ < assets.size() && assets[next_asset_].path < asset.path) ++next_asset_;
  if (next_asset_ == assets.size() || assets[next_asset_].path != asset.path) {
    known_.removed.emplace_back(asset.path);
    return;
  }
  known_.before[next_asset_] = compare(asset, assets[next_asset_].place);
  known_.hashes[next_asset_] = asset.hash;
}

AssetBefore AssetMatcher::compare(const KnownAsset& before, const Place& now) const {
  if (before.size_bytes != now.size_bytes) return AssetBefore::resized;
  const SourceKind kind = content_.sources[now.source].kind;
  if (kinds_[before.file] != kind || before.mark != mark_of(now, kind))
    return AssetBefore::doubtful;
  // A zip's directory identifies an entry, even if the zip has changed around it.
  const bool is_same =
      kind == SourceKind::zip || unchanged_[before.file] == file_of_source_[now.source];
  return is_same ? AssetBefore::same : AssetBefore::doubtful;
}

}  // namespace seekless
