// Any bytes as what an earlier build left, under a right checksum: an error of kind damaged, or a
// state that comes back as it is from being written again.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <xxhash.h>

#include "packer/build/build_state.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace seekless;
  std::string bytes = to_bytes(BuildState{}).substr(0, 16);
  bytes.append(reinterpret_cast<const char*>(data), size);
  const uint64_t checksum = XXH3_64bits(data, size);
  std::memcpy(bytes.data() + 8, &checksum, sizeof(checksum));
  const auto state = parse_build_state(std::make_shared<const std::string>(bytes), "state");
  if (!state) {
    require(state.error().kind == ErrorKind::damaged);
    return 0;
  }
  for (const KnownAsset& asset : state->assets) require(asset.file < state->files.size());
  const std::string again = to_bytes(*state);
  require(again.size() == bytes.size());
  const auto read = parse_build_state(std::make_shared<const std::string>(again), "state");
  require(read && to_bytes(*read) == again);
  return 0;
}
