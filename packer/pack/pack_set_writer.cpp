#include "packer/pack/pack_set_writer.h"

#include <algorithm>
#include <string_view>

#include "packer/pack/catalog_writer.h"
#include "packer/pack/pack_folder.h"
#include "packer/pack/tables.h"
#include "runtime/asset_path.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

// One seed for the whole set, so that a path is hashed once to be found in any of its packs.
Result<uint64_t> seed_for(const Layout& layout) {
  std::vector<std::string_view> paths;
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets) paths.push_back(asset.path);
  std::ranges::sort(paths);
  const auto copies = std::ranges::unique(paths);
  paths.erase(copies.begin(), copies.end());
  return choose_hash_seed(paths, layout.fold_case, hash_asset_path);
}

}  // namespace

Result<std::vector<WrittenPack>> write_pack_set(const Layout& layout, PackWriteOptions options,
                                                const std::string& folder) {
  const auto seed = seed_for(layout);
  if (!seed) return std::unexpected(seed.error());
  options.hash_seed = *seed;
  auto output = PackFolder::open(folder);
  if (!output) return std::unexpected(output.error());
  ContentReader content(layout.sources);
  std::vector<WrittenPack> written;
  for (const LaidPack& pack : layout.packs) {
    auto done = write_pack(layout, pack, content, options, output->staged(pack.name + ".skl"));
    if (!done) return std::unexpected(done.error());
    written.push_back(std::move(*done));
  }
  if (auto catalog =
          write_catalog(layout, written, options.hash_seed, output->staged(runtime::kCatalogName));
      !catalog)
    return std::unexpected(catalog.error());
  if (auto committed = output->commit(); !committed) return std::unexpected(committed.error());
  return written;
}

}  // namespace seekless
