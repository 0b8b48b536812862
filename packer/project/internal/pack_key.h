// Hashes everything that a pack's bytes depend on. If the pack in the output has the same key, it
// needn't be written again. Pure.
#pragma once

#include <cstdint>
#include <functional>

#include "packer/layout/layout.h"
#include "runtime/pack_format.h"

namespace seekless {

// Computes the key. `hash_of` returns the hash of an asset's content. The key depends on paths,
// sizes, hashes, order, alignment, places and readers of the assets, on codec, block size, whether
// case matters, the hash seed, and on the versions of format and compressor. It doesn't depend on
// where the content lies.
uint64_t pack_key(const Layout& layout, const LaidPack& pack, format::Codec codec,
                  uint64_t hash_seed,
                  const std::function<const format::ContentHash&(const LaidAsset&)>& hash_of);

}  // namespace seekless
