// A pack's file, mapped into memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/file_map.h"
#include "runtime/memory.h"

namespace seekless::runtime {

struct MappedPack {
  static constexpr uint32_t kBits = 64;
  FileMap map;
  // One bit per asset, which is set after its mapped bytes were checked.
  mutable Vector<std::atomic<uint64_t>> checked;
};

}  // namespace seekless::runtime
