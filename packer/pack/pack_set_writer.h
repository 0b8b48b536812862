// Carries out a layout: writes its packs and their catalog to a folder, or those of them that have
// to be written.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"
#include "packer/pack/internal/kept_pack.h"
#include "packer/pack/pack_folder.h"
#include "packer/pack/pack_writer.h"

namespace seekless {

// The folder holds the whole new set afterwards, or what it held before. The bytes depend on
// nothing but layout and content. `options.hash_seed` is chosen here.
Result<std::vector<WrittenPack>> write_pack_set(const Layout& layout, PackWriteOptions options,
                                                const std::string& folder);

// A set of which some packs are in the folder already.
struct SetUpdate {
  std::vector<FinishedPack> packs;  // in the order of the layout
  std::vector<bool> is_written;     // by pack; the others were kept
  bool is_changed = false;          // whether anything in the folder was touched
};

struct SetUpdateHooks {
  // Whether the pack's file in the folder is the one that would be written; asked once for each.
  std::function<Result<bool>(size_t pack)> is_current;
  // When everything is staged and nothing is touched yet: the last time to say no.
  std::function<Result<void>(const SetUpdate&)> before_commit;
};

// As write_pack_set, but leaves alone what is current. `folder` is the layout's set, opened.
// `options.hash_seed` is that of the layout.
Result<SetUpdate> update_pack_set(const Layout& layout, const PackWriteOptions& options,
                                  PackFolder& folder, const SetUpdateHooks& hooks);

}  // namespace seekless
