// What a pack's bytes follow from, as one number: a pack whose key is that of the pack in the
// output needn't be written again. Pure.
#pragma once

#include <cstdint>
#include <functional>

#include "packer/layout/layout.h"
#include "runtime/pack_format.h"

namespace seekless {

// `hash_of` gives the hash of an asset's content. The key depends on paths, sizes, hashes, order,
// alignment, places and readers of the assets, on codec, block size, rule of case and hash seed, on
// the versions of format and compressor; not on where the content lies.
uint64_t pack_key(const Layout& layout, const LaidPack& pack, format::Codec codec,
                  uint64_t hash_seed,
                  const std::function<const format::ContentHash&(const LaidAsset&)>& hash_of);

}  // namespace seekless
