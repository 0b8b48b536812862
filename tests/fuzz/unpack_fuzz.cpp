// Unpacks any bytes as a packed trace. It must not crash or hang, and takes no more than a limited
// number of unpacked bytes.
#include <cstdlib>
#include <string>
#include <vector>

#include "packer/trace/internal/unpack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Inputs of libFuzzer's size give far less, unless they are made as bombs.
  constexpr uint64_t kEnoughBytes = uint64_t{64} << 20;
  seekless::MemoryStream stream("fuzz", {reinterpret_cast<const char*>(data), size});
  std::vector<std::string> warnings;
  const auto plain = seekless::unpack(stream, warnings);
  if (!plain) return 0;
  std::vector<std::byte> part(5000);
  for (uint64_t bytes = 0; bytes < kEnoughBytes;) {
    const auto got = (*plain)->read(part);
    if (!got || *got == 0) break;
    if (*got > part.size()) std::abort();
    bytes += *got;
  }
  if (warnings.size() > 3) std::abort();
  return 0;
}
