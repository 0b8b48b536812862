// Carries out a layout: writes its packs and their catalog to a folder, or only those that have
// changed.
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

// Afterwards the folder holds the whole new set, or, after an error, its former content. The bytes
// depend only on layout and content. Chooses `options.hash_seed` itself.
Result<std::vector<WrittenPack>> write_pack_set(const Layout& layout, PackWriteOptions options,
                                                const std::string& folder);

// Holds the result for a set of which some packs are already in the folder.
struct SetUpdate {
  std::vector<FinishedPack> packs;  // in the order of the layout
  // Indexed by pack: true if the pack was written; the others were kept.
  std::vector<bool> is_written;
  bool is_changed = false;  // true if anything in the folder was changed
};

struct SetUpdateHooks {
  // Returns true if the pack's file in the folder already has the right bytes; called once for each
  // pack.
  std::function<Result<bool>(size_t pack)> is_current;
  // Called when all new files are complete and nothing is replaced yet: the last chance to refuse.
  std::function<Result<void>(const SetUpdate&)> before_commit;
};

// Does what write_pack_set does, but keeps files that are already right. `folder` is the layout's
// set, opened. `options.hash_seed` must be the layout's.
Result<SetUpdate> update_pack_set(const Layout& layout, const PackWriteOptions& options,
                                  PackFolder& folder, const SetUpdateHooks& hooks);

}  // namespace seekless
