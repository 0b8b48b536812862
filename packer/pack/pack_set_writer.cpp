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
  SKL_TRY(const auto seed, choose_hash_seed(layout));
  options.hash_seed = seed;
  options.checks_content = false;
  SKL_TRY(auto output, PackFolder::open(folder));
  ContentReader content(layout.sources);
  std::vector<WrittenPack> written;
  for (const LaidPack& pack : layout.packs) {
    SKL_TRY(auto done,
            write_pack(layout, pack, content, options, output.staged(pack.name + ".skl")));
    written.push_back(std::move(done));
  }
  SKL_TRY_DO(
      write_catalog(layout, written, options.hash_seed, output.staged(runtime::kCatalogName)));
  SKL_TRY_DO(content.check_unchanged());
  SKL_TRY_DO(output.commit());
  return written;
}

Result<SetUpdate> update_pack_set(const Layout& layout, const PackWriteOptions& options,
                                  PackFolder& folder, const SetUpdateHooks& hooks) {
  ContentReader content(layout.sources);
  SetUpdate update;
  for (size_t i = 0; i < layout.packs.size(); ++i) {
    const LaidPack& pack = layout.packs[i];
    const std::string name = pack.name + ".skl";
    SKL_TRY(const auto current, hooks.is_current(i));
    if (!current) SKL_TRY_DROP(write_pack(layout, pack, content, options, folder.staged(name)));
    SKL_TRY(auto finished,
            read_finished_pack(pack, current ? folder.path() + "/" + name : folder.staged(name)));
    update.packs.push_back(std::move(finished));
    update.is_written.push_back(!current);
    update.is_changed = update.is_changed || !current;
  }
  SKL_TRY_DO(stage_catalog(layout, update.packs, options.hash_seed, folder));
  const std::string name = runtime::kCatalogName;
  if (!are_equal(folder.path() + "/" + name, folder.staged(name))) update.is_changed = true;
  SKL_TRY_DO(hooks.before_commit(update));
  if (update.is_changed) SKL_TRY_DO(folder.commit());
  return update;
}

}  // namespace seekless
