// Inputs of the fuzzers for .skl files. The first byte says whether the checksums in the rest are
// corrected first; otherwise hardly any change would get past them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/require.h"
#include "tests/runtime/forge.h"
#include "tests/runtime/memory_files.h"

namespace seekless {

inline std::string sealed_input(const uint8_t* data, size_t size) {
  if (size == 0) return {};
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) return bytes;
  Forge forge(bytes);
  forge.seal_frames();
  return forge.sealed();
}

inline void require_message(const runtime::Error& error) {
  require(error.result < 0 && !error.message.empty() && error.message.size() < 20000);
}

}  // namespace seekless
