#include "packer/pack/pack_set_writer.h"

#include <utility>

#include "packer/host/files.h"
#include "packer/pack/catalog_writer.h"
#include "packer/pack/pack_plan.h"
#include "runtime/catalog.h"

namespace seekless {
namespace {

constexpr uint64_t kMostCatalogBytes = uint64_t{16} << 30;

Result<void> stage_catalog(const Layout& layout, const std::vector<FinishedPack>& packs,
                           uint64_t hash_seed, const PackFolder& folder) {
  std::vector<WrittenPack> written;
  for (const FinishedPack& pack : packs) written.push_back(pack.written);
  return write_catalog(layout, written, hash_seed, folder.staged(runtime::kCatalogName));
}

// Returns true if both files exist and have the same bytes.
bool are_equal(const std::string& a, const std::string& b) {
  const auto text_a = read_text(a, kMostCatalogBytes);
  const auto text_b = read_text(b, kMostCatalogBytes);
  return text_a && text_b && *text_a == *text_b;
}

}  // namespace

Result<std::vector<WrittenPack>> write_pack_set(const Layout& layout, PackWriteOptions options,
                                                const std::string& folder) {
  const auto seed = choose_hash_seed(layout);
  if (!seed) return std::unexpected(seed.error());
  options.hash_seed = *seed;
  options.checks_content = false;
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
  if (auto same = content.check_unchanged(); !same) return std::unexpected(same.error());
  if (auto committed = output->commit(); !committed) return std::unexpected(committed.error());
  return written;
}

Result<SetUpdate> update_pack_set(const Layout& layout, const PackWriteOptions& options,
                                  PackFolder& folder, const SetUpdateHooks& hooks) {
  ContentReader content(layout.sources);
  SetUpdate update;
  for (size_t i = 0; i < layout.packs.size(); ++i) {
    const LaidPack& pack = layout.packs[i];
    const std::string name = pack.name + ".skl";
    const auto current = hooks.is_current(i);
    if (!current) return std::unexpected(current.error());
    if (!*current)
      if (auto done = write_pack(layout, pack, content, options, folder.staged(name)); !done)
        return std::unexpected(done.error());
    auto finished =
        read_finished_pack(pack, *current ? folder.path() + "/" + name : folder.staged(name));
    if (!finished) return std::unexpected(finished.error());
    update.packs.push_back(*std::move(finished));
    update.is_written.push_back(!*current);
    update.is_changed = update.is_changed || !*current;
  }
  if (auto staged = stage_catalog(layout, update.packs, options.hash_seed, folder); !staged)
    return std::unexpected(staged.error());
  const std::string name = runtime::kCatalogName;
  if (!are_equal(folder.path() + "/" + name, folder.staged(name))) update.is_changed = true;
  if (auto done = hooks.before_commit(update); !done) return std::unexpected(done.error());
  if (update.is_changed)
    if (auto committed = folder.commit(); !committed) return std::unexpected(committed.error());
  return update;
}

}  // namespace seekless
