#include "packer/pack/pack_action.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "packer/base/each_once.h"
#include "packer/host/pending_file.h"
#include "packer/host/runtime_error.h"
#include "packer/pack/catalog_writer.h"
#include "packer/pack/internal/kept_pack.h"
#include "packer/pack/pack_plan.h"
#include "runtime/file_io.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

std::unexpected<Error> of_another_layout(const std::string& file, std::string expected,
                                         std::string found) {
  return failed({.file = file,
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .advice = "it was made from another layout: make it anew from this one"});
}

// Checks the header against the layout.
Result<void> check_head(const Layout& layout, const format::Header& header, uint64_t hash_seed,
                        const std::string& file) {
  if (header.block_bytes != layout.block_bytes)
    return of_another_layout(file, fmt::format("blocks of {} bytes", layout.block_bytes),
                             fmt::to_string(header.block_bytes));
  const bool folds_case = (header.required_flags & format::kFoldCase) != 0;
  if (folds_case != layout.fold_case)
    return of_another_layout(
        file, layout.fold_case ? "paths that fold case" : "paths that don't fold case",
        "the contrary");
  if (header.hash_seed != hash_seed)
    return of_another_layout(file, fmt::format("hash seed {}", hash_seed),
                             fmt::to_string(header.hash_seed));
  return {};
}

// Checks places, if the layout has any.
Result<void> check_places(const LaidPack& laid, const Placement& placement,
                          const std::string& file) {
  if (!laid.places) return {};
  for (size_t i = 0; i < laid.assets.size(); ++i) {
    const PlaceInPack& expected = laid.places->assets[i];
    const AssetPlace& found = placement.places[i];
    if (laid.assets[i].size_bytes == 0 || expected == PlaceInPack{found.block, found.offset_bytes})
      continue;
    return of_another_layout(
        file,
        fmt::format("'{}' at byte {} of block {}", laid.assets[i].path, expected.offset_bytes,
                    expected.block),
        fmt::format("it at byte {} of block {}", found.offset_bytes, found.block));
  }
  return {};
}

Result<WrittenPack> read_written(const Layout& layout, const LaidPack& laid, uint64_t hash_seed,
                                 const std::string& file) {
  const auto io = runtime::make_system_file_io();
  const auto opened = io->open(file);
  if (!opened) return from_runtime(opened.error());
  const auto header = runtime::read_header(**opened);
  if (!header) return from_runtime(header.error());
  SKL_TRY_DO(check_head(layout, *header, hash_seed, file));
  SKL_TRY(auto finished, read_finished_pack(laid, file));
  SKL_TRY_DO(check_places(laid, finished.written.placement, file));
  return std::move(finished.written);
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
    keep_each_once(sources);
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
  SKL_TRY(const auto seed, choose_hash_seed(layout));
  options.hash_seed = seed;
  ContentReader content(layout.sources);
  return write_pack(layout, pack, content, options, path);
}

Result<uint64_t> write_catalog_of(const Layout& layout, const std::string& folder,
                                  const std::string& path) {
  SKL_TRY(const auto seed, choose_hash_seed(layout));
  std::vector<WrittenPack> packs;
  for (const LaidPack& pack : layout.packs) {
    SKL_TRY(auto written,
            read_written(layout, pack, seed, fmt::format("{}/{}.skl", folder, pack.name)));
    packs.push_back(std::move(written));
  }
  SKL_TRY(auto catalog, build_catalog(layout, packs, seed));
  SKL_TRY(auto file, PendingFile::create(path));
  SKL_TRY(const auto id, catalog.write(file));
  SKL_TRY_DO(file.commit());
  return id;
}

}  // namespace seekless
