// A pack's file as the system has it in memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/file_map.h"
#include "runtime/memory.h"

namespace seekless::runtime {

struct MappedPack {
  static constexpr uint32_t kBits = 64;
  FileMap map;
  // A bit for each asset, which is set once its bytes were checked there.
  mutable Vector<std::atomic<uint64_t>> checked;
};

}  // namespace seekless::runtime
