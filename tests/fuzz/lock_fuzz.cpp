// Parses any bytes as a layout.lock. The result must be an error of kind damaged, or a lock that
// stays the same when written again and that other content can be planned with.
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "packer/keep/generations.h"
#include "packer/keep/lock.h"
#include "packer/update/patch_forecast.h"
#include "tests/fuzz/own_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

Content made_content() {
  Content content;
  Source source;
  source.path = content.paths.add("made");
  content.sources.push_back(source);
  for (const char* name : {"a", "b/c", "d", "new"}) {
    Asset asset;
    asset.path = content.paths.add(name);
    asset.place.size_bytes = 1000 * content.assets.size();
    content.assets.push_back(asset);
  }
  return content;
}

std::vector<format::ContentHash> made_hashes(size_t count) {
  std::vector<format::ContentHash> hashes(count);
  for (size_t i = 0; i < count; ++i) hashes[i][0] = static_cast<uint8_t>(i + 1);
  return hashes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = own_file("layout.lock");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto lock = read_lock(path);
  if (!lock) {
    require(lock.error().kind == ErrorKind::damaged);
    require(lock.error().message.size() < size * 3 + 2000);
    return 0;
  }
  const std::string again_path = own_file("again.lock");
  require(write_lock(*lock, again_path).has_value());
  const auto again = read_lock(again_path);
  require(again && *again == *lock);

  const Content content = made_content();
  const std::vector<format::ContentHash> hashes = made_hashes(content.assets.size());
  const HashedContent hashed(content, hashes);
  LockedAssets kept = keep_layout(*lock, hashed, {}, {});
  kept.layout.sources = content.sources;
  require(check_layout(kept.layout, "kept").has_value());
  (void)predict_patch(*lock, kept.layout, hashed);
  return 0;
}
