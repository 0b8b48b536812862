#include "packer/pack/internal/kept_pack.h"

#include <utility>

#include <fmt/format.h>

#include "packer/host/runtime_error.h"
#include "runtime/asset_path.h"
#include "runtime/pack.h"

namespace seekless {
namespace {

std::unexpected<Error> wrong(const std::string& path, const std::string& expected,
                             const std::string& found) {
  return damaged(
      {.file = path, .expected = expected, .found = found, .advice = "remove it, and pack again"});
}

constexpr uint32_t kNoAsset = UINT32_MAX;

// Finds the layout's asset for each asset of the file; kNoAsset means that it is dead.
Result<std::vector<uint32_t>> match_assets(const LaidPack& pack, const runtime::Pack& finished,
                                           const std::string& path) {
  const size_t count = pack.assets.size();
  const bool may_have_more = pack.pack_id == finished.header().checksum;
  if (finished.assets().size() != count && !may_have_more)
    return wrong(path, fmt::format("{} assets", count), fmt::to_string(finished.assets().size()));
  std::vector<uint32_t> order(finished.assets().size(), kNoAsset);
  for (uint32_t i = 0; i < count; ++i) {
    const LaidAsset& asset = pack.assets[i];
    const uint32_t number = finished.find(
        hash_asset_path(asset.path, finished.header().hash_seed, finished.folds_case()));
    if (number == format::kEmptySlot || order[number] != kNoAsset ||
        finished.assets()[number].size_bytes != asset.size_bytes)
      return wrong(path, fmt::format("'{}' of {} bytes", asset.path, asset.size_bytes), "none");
    order[number] = i;
  }
  return order;
}

void read_blocks(const runtime::Pack& finished, WrittenPack& written) {
  for (const format::Block& block : finished.blocks()) {
    written.placement.blocks.push_back({block.raw_bytes, block.first_asset});
    written.block_offsets.push_back(block.offset_bytes);
    written.saved_bytes += block.raw_bytes - block.stored_bytes;
    written.padding_bytes += runtime::stored_extent_bytes(block) - block.stored_bytes;
    written.padding_bytes += block.raw_bytes;  // the block's assets are subtracted later
  }
  written.block_offsets.push_back(written.file_bytes);
  written.table_bytes = written.block_offsets.front();
}

}  // namespace

Result<FinishedPack> read_finished_pack(const LaidPack& pack, const std::string& path) {
  const auto io = runtime::make_system_file_io();
  auto file = io->open(path);
  if (!file) return from_runtime(file.error());
  const auto opened = runtime::Pack::open(std::move(*file));
  if (!opened) return from_runtime(opened.error());
  const runtime::Pack& finished = **opened;
  SKL_TRY(auto order, match_assets(pack, finished, path));

  FinishedPack result;
  WrittenPack& written = result.written;
  written.file_name = pack.name + ".skl";
  written.pack_id = finished.header().checksum;
  written.file_bytes = finished.header().file_bytes;
  written.placement.places.resize(pack.assets.size());
  result.hashes.resize(pack.assets.size());
  read_blocks(finished, written);
  if (order.size() > pack.assets.size()) {
    written.numbers.resize(pack.assets.size());
    written.file_assets = static_cast<uint32_t>(order.size());
  }
  const format::Asset* before = nullptr;
  for (uint32_t number = 0; number < order.size(); ++number) {
    const uint32_t index = order[number];
    const format::Asset& asset = finished.assets()[number];
    // Assets at one place are neighbours, and have the same content.
    const bool is_same = before != nullptr && before->size_bytes > 0 && asset.size_bytes > 0 &&
                         before->block == asset.block &&
                         runtime::offset_in_block(*before) == runtime::offset_in_block(asset);
    before = &asset;
    if (!is_same) written.padding_bytes -= asset.size_bytes;
    if (index == kNoAsset) {
      if (!is_same) written.dead_bytes += asset.size_bytes;
      continue;
    }
    const auto hash = finished.content_hash(number);
    if (!hash) return from_runtime(hash.error());
    result.hashes[index] = *hash;
    if (!written.numbers.empty()) written.numbers[index] = number;
    written.placement.order.push_back(index);
    written.placement.places[index] = {asset.block,
                                       static_cast<uint32_t>(runtime::offset_in_block(asset))};
    written.content_bytes += asset.size_bytes;
    if (is_same) written.duplicate_bytes += asset.size_bytes;
  }
  return result;
}

}  // namespace seekless
