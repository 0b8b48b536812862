#include "packer/pack/pack_set_writer.h"

#include "packer/pack/catalog_writer.h"
#include "packer/pack/pack_folder.h"
#include "packer/pack/pack_plan.h"
#include "runtime/catalog.h"

namespace seekless {
Result<std::vector<WrittenPack>> write_pack_set(const Layout& layout, PackWriteOptions options,
                                                const std::string& folder) {
  const auto seed = choose_hash_seed(layout);
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
