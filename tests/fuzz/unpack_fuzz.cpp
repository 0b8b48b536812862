// Whatever bytes claim to be a packed trace: no crash, no hang, and no more than a bound of what
// they unpack to.
#include <cstdlib>
#include <string>
#include <vector>

#include "packer/trace/internal/unpack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Far beyond what inputs of libFuzzer's size give without being made to be bombs.
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
