#include "packer/pack/pack_action.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "packer/host/runtime_error.h"
#include "packer/pack/catalog_writer.h"
#include "packer/pack/pack_plan.h"
#include "runtime/asset_path.h"
#include "runtime/pack.h"

namespace seekless {
namespace {

std::unexpected<Error> of_another_layout(const std::string& file, std::string expected,
                                         std::string found) {
  return failed({.file = file,
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .advice = "it was made from another layout: make it anew from this one"});
}

Result<void> check_head(const Layout& layout, const LaidPack& laid, const runtime::Pack& pack,
                        uint64_t hash_seed) {
  const std::string& file = pack.file().name();
  if (pack.header().block_bytes != layout.block_bytes)
    return of_another_layout(file, fmt::format("blocks of {} bytes", layout.block_bytes),
                             fmt::to_string(pack.header().block_bytes));
  if (pack.folds_case() != layout.fold_case)
    return of_another_layout(
        file, layout.fold_case ? "paths that fold case" : "paths that don't fold case",
        "the contrary");
  if (pack.header().hash_seed != hash_seed)
    return of_another_layout(file, fmt::format("hash seed {}", hash_seed),
                             fmt::to_string(pack.header().hash_seed));
  if (pack.assets().size() != laid.assets.size())
    return of_another_layout(file, fmt::format("{} assets", laid.assets.size()),
                             fmt::to_string(pack.assets().size()));
  return {};
}

// Which asset of the layout each one in the file is, and where it lies. Since no two paths of a
// layout have one hash, as many assets as in the layout that are all found are the same ones.
Result<Placement> placement_in(const Layout& layout, const LaidPack& laid,
                               const runtime::Pack& pack, uint64_t hash_seed) {
  Placement placement;
  placement.order.resize(laid.assets.size());
  placement.places.resize(laid.assets.size());
  for (size_t i = 0; i < laid.assets.size(); ++i) {
    const LaidAsset& asset = laid.assets[i];
    const uint32_t number = pack.find(hash_asset_path(asset.path, hash_seed, layout.fold_case));
    if (number == format::kEmptySlot)
      return of_another_layout(pack.file().name(), fmt::format("asset '{}'", asset.path), "none");
    const format::Asset& record = pack.assets()[number];
    if (record.size_bytes != asset.size_bytes)
      return of_another_layout(pack.file().name(),
                               fmt::format("{} bytes of '{}'", asset.size_bytes, asset.path),
                               fmt::to_string(record.size_bytes));
    placement.order[number] = static_cast<uint32_t>(i);
    placement.places[i] = {record.block, static_cast<uint32_t>(runtime::offset_in_block(record))};
  }
  return placement;
}

// What the catalog needs to know of a finished pack.
Result<WrittenPack> read_written(const Layout& layout, const LaidPack& laid, uint64_t hash_seed,
                                 const runtime::FileIo& io, const std::string& folder) {
  WrittenPack written;
  written.file_name = laid.name + ".skl";
  auto file = io.open(folder + "/" + written.file_name);
  if (!file) return from_runtime(file.error());
  const auto pack = runtime::Pack::open(std::move(*file));
  if (!pack) return from_runtime(pack.error());
  if (auto checked = check_head(layout, laid, **pack, hash_seed); !checked)
    return std::unexpected(checked.error());
  auto placement = placement_in(layout, laid, **pack, hash_seed);
  if (!placement) return std::unexpected(placement.error());
  written.placement = std::move(*placement);
  written.pack_id = (*pack)->header().checksum;
  written.file_bytes = (*pack)->header().file_bytes;
  for (const format::Block& block : (*pack)->blocks())
    written.block_offsets.push_back(block.offset_bytes);
  written.block_offsets.push_back(written.file_bytes);
  return written;
}

}  // namespace

std::vector<PackInputs> inputs_of_packs(const Layout& layout) {
  std::vector<PackInputs> inputs;
  for (const LaidPack& pack : layout.packs) {
    PackInputs& of = inputs.emplace_back(PackInputs{.name = std::string(pack.name),
                                                    .kind = pack.kind,
                                                    .assets = pack.assets.size(),
                                                    .content_bytes = pack.size_bytes(),
                                                    .files = {}});
    std::vector<uint32_t> sources;
    for (const LaidAsset& asset : pack.assets) sources.push_back(asset.source);
    std::ranges::sort(sources);
    const auto again = std::ranges::unique(sources);
    sources.erase(again.begin(), again.end());
    for (const uint32_t source : sources) of.files.emplace_back(layout.sources[source].path);
  }
  return inputs;
}

Result<size_t> find_pack(const Layout& layout, std::string_view name, const std::string& file) {
  const auto found = std::ranges::find(layout.packs, name, &LaidPack::name);
  if (found != layout.packs.end()) return static_cast<size_t>(found - layout.packs.begin());
  constexpr size_t kMostNamed = 8;
  std::string names;
  for (size_t i = 0; i < std::min(kMostNamed, layout.packs.size()); ++i)
    names += fmt::format("'{}', ", layout.packs[i].name);
  if (layout.packs.size() > kMostNamed) names += "..., ";
  return wrong_usage({.file = file,
                      .expected = fmt::format("one of its packs: {}or '{}'", names, kCatalogAction),
                      .found = fmt::format("'{}'", name),
                      .advice = "--list-packs shows them all"});
}

Result<WrittenPack> write_single_pack(const Layout& layout, const LaidPack& pack,
                                      PackWriteOptions options, const std::string& path) {
  const auto seed = choose_hash_seed(layout);
  if (!seed) return std::unexpected(seed.error());
  options.hash_seed = *seed;
  ContentReader content(layout.sources);
  return write_pack(layout, pack, content, options, path);
}

Result<uint64_t> write_catalog_of(const Layout& layout, const std::string& folder,
                                  const std::string& path) {
  const auto seed = choose_hash_seed(layout);
  if (!seed) return std::unexpected(seed.error());
  const auto io = runtime::make_system_file_io();
  std::vector<WrittenPack> packs;
  for (const LaidPack& pack : layout.packs) {
    auto written = read_written(layout, pack, *seed, *io, folder);
    if (!written) return std::unexpected(written.error());
    packs.push_back(std::move(*written));
  }
  auto catalog = build_catalog(layout, packs, *seed);
  if (!catalog) return std::unexpected(catalog.error());
  auto file = PendingFile::create(path);
  if (!file) return std::unexpected(file.error());
  const auto id = catalog->write(*file);
  if (!id) return std::unexpected(id.error());
  if (auto committed = file->commit(); !committed) return std::unexpected(committed.error());
  return *id;
}

}  // namespace seekless
