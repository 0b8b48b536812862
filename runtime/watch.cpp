#include "runtime/watch.h"

#include <algorithm>
#include <cstring>

namespace seekless::runtime {

void Watch::sing(skl_canary_kind kind, skl_asset asset, uint64_t offset_bytes, uint64_t duration_us,
                 uint64_t count, std::string_view message) {
  add(counts.canaries);
  if (on_canary_ == nullptr) return;
  skl_canary canary = {};
  canary.struct_bytes = sizeof(canary);
  canary.kind = kind;
  canary.asset = asset;
  canary.offset_bytes = offset_bytes;
  canary.duration_us = duration_us;
  canary.count = count;
  std::memcpy(canary.message, message.data(), std::min(message.size(), sizeof(canary.message) - 1));
  on_canary_(user_, &canary);
}

}  // namespace seekless::runtime
