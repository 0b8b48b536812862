// Reads any bytes, under a right checksum, as the state that an earlier build left. The result must
// be an error of kind damaged, or a state that stays the same when written again.
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include <xxhash.h>

#include "packer/project/internal/build_state.h"
#include "tests/fuzz/require.h"

namespace {

// Parses the state with its files and assets. Each asset must belong to an existing file.
std::optional<seekless::BuildState> parsed(const std::string& bytes, seekless::PathPool& paths) {
  using namespace seekless;
  std::vector<KnownFile> files;
  std::vector<KnownAsset> assets;
  const StateVisitor visitor = {.file =
                                    [&](const KnownFile& file) {
                                      files.push_back(file);
                                      files.back().path = paths.add(file.path);
                                    },
                                .asset =
                                    [&](const KnownAsset& asset) {
                                      require(asset.file < files.size());
                                      assets.push_back(asset);
                                      assets.back().path = paths.add(asset.path);
                                    }};
  const auto all = std::as_bytes(std::span(bytes));
  auto state = parse_build_state(MemorySource("state", {all.begin(), all.end()}), visitor);
  if (!state) {
    require(state.error().kind == ErrorKind::damaged);
    return std::nullopt;
  }
  state->files = std::move(files);
  state->assets = std::move(assets);
  return *std::move(state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace seekless;
  std::string bytes = to_bytes(BuildState{}).substr(0, 16);
  bytes.append(reinterpret_cast<const char*>(data), size);
  const uint64_t checksum = XXH3_64bits(data, size);
  std::memcpy(bytes.data() + 8, &checksum, sizeof(checksum));
  PathPool paths;
  const auto state = parsed(bytes, paths);
  if (!state) return 0;
  const std::string again = to_bytes(*state);
  require(again.size() == bytes.size());
  const auto read = parsed(again, paths);
  require(read && to_bytes(*read) == again);
  return 0;
}
