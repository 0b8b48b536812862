// Tells where a mounted pack set's files lie, through extended attributes.

#include <fmt/format.h>

#include "packer/base/hasher.h"
#include "packer/base/paths.h"
#include "packer/mount/internal/set_calls.h"
#include "runtime/asset_path.h"

namespace seekless::mount {
namespace {

std::string pack_name(const runtime::PlacedAsset& place) {
  const std::string& path = place.pack->file().name();
  return std::string(file_name(path));
}

// Returns the asset's offset; in a compressed block, its frame's offset and its own offset in the
// decoded frame.
std::string offset_text(const runtime::PlacedAsset& place) {
  const format::Asset& asset = place.record();
  if (asset.size_bytes == 0) return "none";
  const format::Block& block = place.pack->blocks()[asset.block];
  const uint64_t in_block = runtime::offset_in_block(asset);
  if (!runtime::is_compressed(block)) return fmt::format("{}", block.offset_bytes + in_block);
  const uint64_t frame_bytes = place.pack->header().frame_bytes;
  const format::Frame& frame = place.pack->frames_of(asset.block)[in_block / frame_bytes];
  return fmt::format("{} decoded, then {}", block.offset_bytes + frame.offset_bytes,
                     in_block % frame_bytes);
}

std::string scenarios_with(const runtime::PackSet& set, uint32_t asset) {
  std::string names;
  const runtime::Catalog* catalog = set.catalog();
  if (catalog == nullptr) return names;
  for (const format::Scenario& scenario : catalog->scenarios()) {
    if (!set.needed_place(asset, scenario)) continue;
    if (!names.empty()) names += ',';
    names += catalog->name(scenario);
  }
  return names;
}

std::string attribute_of_asset(const ServedSet& served, uint32_t asset, std::string_view name) {
  if (name == "user.seekless.scenarios") return scenarios_with(served.set, asset);
  const auto place = served.set.place(asset);
  if (!place) return "";
  if (name == "user.seekless.pack") return pack_name(*place);
  if (name == "user.seekless.offset") return offset_text(*place);
  if (name != "user.seekless.hash") return "";
  const auto hash = place->pack->content_hash(place->index);
  return hash ? to_hex(*hash) : "";
}

}  // namespace

std::string attribute_of(const ServedSet& served, const SetNode& node, std::string_view name) {
  if (node.asset == 0) {
    if (node.scenario == kNoNumber || name != "user.seekless.scenarios") return "";
    return served.tree.scenarios()[node.scenario];
  }
  const std::string path = served.tree.path_of(served.tree.number_of(node));
  const uint32_t asset =
      served.set.find(hash_asset_path(path, served.set.hash_seed(), served.set.folds_case()));
  return asset == format::kEmptySlot ? "" : attribute_of_asset(served, asset, name);
}

}  // namespace seekless::mount
