// Writes the catalog of a pack set: the path table of all packs, and the ranges that each scenario
// sweeps.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"
#include "packer/pack/internal/tables.h"
#include "packer/pack/pack_writer.h"

namespace seekless {

// Builds the whole file; the caller seals it. `packs` belong to the layout, and are in its order.
Result<TableFile> build_catalog(const Layout& layout, const std::vector<WrittenPack>& packs,
                                uint64_t hash_seed);
// Writes the catalog's file, whole or not at all.
Result<void> write_catalog(const Layout& layout, const std::vector<WrittenPack>& packs,
                           uint64_t hash_seed, const std::string& path);

}  // namespace seekless
