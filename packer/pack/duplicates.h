// Finds assets of equal content before anything is written, and reads as little as possible: it
// hashes content only if sizes (and an archive's CRCs) agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/asset_reader.h"
#include "packer/layout/layout.h"

namespace seekless {

// Returns, for each asset of the pack, the index of the first asset with the same content, or its
// own. `threads` is 1 or more.
Result<std::vector<uint32_t>> find_duplicates(const LaidPack& pack, ContentReader& content,
                                              size_t threads);
// Does the same for all content, indexed by asset.
Result<std::vector<uint32_t>> find_equal_assets(const Content& content, size_t threads);

}  // namespace seekless
