// Carries out a layout: writes all its packs and their catalog to a folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "packer/host/error.h"
#include "packer/layout/layout.h"
#include "packer/pack/pack_writer.h"

namespace seekless {

// The folder holds the whole new set afterwards, or what it held before. The bytes depend on
// nothing but layout and content. `options.hash_seed` is chosen here.
Result<std::vector<WrittenPack>> write_pack_set(const Layout& layout, PackWriteOptions options,
                                                const std::string& folder);

}  // namespace seekless
