#include "packer/drive/fragmentation.h"

#include <map>

namespace seekless {
namespace {

// The block size of most file systems. A file's last block is rarely full; skipping the rest of it
// on the way to the next file doesn't move the head.
constexpr uint64_t kFileBlockBytes = 4096;

}  // namespace

Fragmentation measure_fragmentation(std::span<const FileExtents> files) {
  Fragmentation total;
  std::map<uint64_t, uint64_t> head_of_device;  // position of each device's head
  for (const FileExtents& file : files) {
    for (const Extent& extent : file.extents) {
      const auto [head, is_first] = head_of_device.try_emplace(file.device, extent.place_bytes);
      const uint64_t jump = extent.place_bytes > head->second ? extent.place_bytes - head->second
                                                              : head->second - extent.place_bytes;
      const bool goes_on = extent.place_bytes >= head->second && jump < kFileBlockBytes;
      total.bytes += extent.length_bytes;
      total.path_bytes += jump + extent.length_bytes;
      if (is_first || !goes_on) ++total.fragments;
      head->second = extent.place_bytes + extent.length_bytes;
    }
  }
  total.devices = head_of_device.size();
  return total;
}

}  // namespace seekless
