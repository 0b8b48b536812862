#include "packer/command/open_set.h"

#include "packer/host/runtime_error.h"
#include "packer/pack/live_assets.h"
#include "packer/pack/whole_set.h"

namespace seekless {

Result<OpenSet> OpenSet::open(const std::string& path) {
  OpenSet open;
  open.io_ = runtime::make_system_file_io();
  SKL_TRY(auto set, open_whole_set(*open.io_, path));
  open.set_ = std::move(set);
  return open;
}

std::string OpenSet::pack_name(uint32_t pack) const {
  if (const runtime::Catalog* catalog = set_->catalog())
    return std::string(catalog->name(catalog->packs()[pack]));
  const std::string& name = (*set_->pack(0))->file().name();
  return name.substr(name.find_last_of('/') + 1);
}

Result<void> OpenSet::for_each(const std::function<Result<void>(const ListedAsset&)>& visit) const {
  for (uint32_t number = 0; number < set_->pack_count(); ++number) {
    const auto pack = set_->pack(number);
    if (!pack) return from_runtime(pack.error());
    uint32_t asset = 0;
    for (uint32_t chunk = 0; chunk < (*pack)->chunk_count(); ++chunk) {
      const auto paths = (*pack)->paths_of_chunk(chunk);
      if (!paths) return from_runtime(paths.error());
      for (const std::string& path : *paths) {
        const runtime::PlacedAsset place = {*pack, asset++};
        const bool is_dead =
            set_->catalog() != nullptr &&
            !names_asset(*set_->catalog(), number, place.index, place.record().path_hash);
        if (is_dead) continue;
        SKL_TRY_DO(visit({path, place, number}));
      }
    }
  }
  return {};
}

std::unexpected<Error> no_asset_matches(const std::string& path) {
  return failed({.file = path,
                 .expected = "assets that match",
                 .found = "none",
                 .advice = "patterns without '/' are for file names, '**' crosses folders"});
}

}  // namespace seekless
