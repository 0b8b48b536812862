#include "packer/host/extents.h"

#include <algorithm>

namespace seekless {

void add_extent(const Extent& extent, FileExtents& file) {
  if (extent.offset_bytes >= file.size_bytes) return;
  const uint64_t length = std::min(extent.length_bytes, file.size_bytes - extent.offset_bytes);
  if (length == 0) return;
  Extent* const last = file.extents.empty() ? nullptr : &file.extents.back();
  if (last != nullptr && last->offset_bytes + last->length_bytes == extent.offset_bytes &&
      last->place_bytes + last->length_bytes == extent.place_bytes)
    last->length_bytes += length;
  else
    file.extents.push_back({extent.offset_bytes, extent.place_bytes, length});
}

}  // namespace seekless
