#include "packer/keep/patch_price.h"

#include <algorithm>

namespace seekless {

PatchPrice::PatchPrice(const PackSpace& space, std::span<const uint64_t> sizes_bytes,
                       const std::vector<char>& is_edited)
    : items_(space.items()), is_edited_(is_edited), before_(space.items().size()) {
  ends_.reserve(space.extents().size());
  for (const PackExtent& extent : space.extents()) {
    uint64_t end = 0;
    uint32_t left = kNone;
    for (const HeldItem& held : extent.held) {
      before_[held.item] = {extent.number, left, held.offset_bytes - end};
      end = held.offset_bytes + sizes_bytes[held.item];
      left = held.item;
    }
    ends_.push_back({extent.number, left, extent.size_bytes - end});
  }
}

bool PatchPrice::is_known(const Joint& joint, uint32_t right) const {
  if (joint.left != kNone && is_edited_[joint.left] != 0) return false;
  if (right != kNone) return is_edited_[right] == 0 && before_[right] == joint;
  return joint.extent < ends_.size() && joint.left != kNone && ends_[joint.extent] == joint;
}

uint64_t PatchPrice::bytes(const PackExtent& extent) const {
  uint64_t sum = 0;
  uint64_t end = 0;
  uint64_t reached = 0;  // bytes at the left item's front that a new chunk takes along
  uint32_t left = kNone;
  for (size_t i = 0; i <= extent.held.size(); ++i) {
    const uint32_t right = i < extent.held.size() ? extent.held[i].item : kNone;
    const uint64_t begin = i < extent.held.size() ? extent.held[i].offset_bytes : extent.size_bytes;
    const uint64_t gap = begin - end;
    const bool is_new = !is_known({extent.number, left, gap}, right);
    if (is_new) sum += std::min(gap, kMostZeroBytes);
    const uint64_t tail = is_new ? kReachBeforeBytes : 0;
    if (left == kNone)
      sum += tail;
    else if (is_edited_[left] == 0)
      sum += std::min(items_[left].size_bytes, reached + tail);
    reached = is_new ? reach_behind(gap) : 0;
    if (right == kNone) break;
    left = right;
    end = begin + items_[right].size_bytes;
  }
  return sum + reached;
}

}  // namespace seekless
