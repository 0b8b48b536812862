#include "packer/keep/internal/padding.h"

#include <algorithm>

#include "packer/keep/pack_items.h"
#include "runtime/pack_format.h"

namespace seekless {

using format::kPageBytes;
using format::round_up;

Padding padding_of(const Layout& layout) {
  Padding padding;
  for (const LaidPack& pack : layout.packs) {
    uint64_t bytes = pack.places->data_offset_bytes;
    for (const uint32_t raw_bytes : pack.places->block_raw_bytes)
      bytes += round_up(raw_bytes, kPageBytes);
    uint64_t path_bytes = 0;
    uint64_t used = 0;
    for (size_t i = 0; i < pack.assets.size(); ++i) {
      path_bytes += pack.assets[i].path.size();
      // The assets are sorted by place, so those of equal content are neighbours.
      const bool is_first = i == 0 || pack.assets[i - 1].size_bytes == 0 ||
                            pack.places->assets[i] != pack.places->assets[i - 1];
      if (is_first) used += pack.assets[i].size_bytes;
    }
    used += std::min(
        pack.places->data_offset_bytes,
        table_room_bytes(pack.assets.size(), path_bytes, pack.places->block_raw_bytes.size()));
    padding.file_bytes += bytes;
    padding.padding_bytes += bytes - used;
  }
  return padding;
}

}  // namespace seekless
