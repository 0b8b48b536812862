// Any bytes as a layout.lock: an error of kind damaged, or a lock that comes back as it is written
// and can be kept with other content.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "packer/layout/lock.h"
#include "packer/layout/patch_forecast.h"
#include "packer/layout/patch_layout.h"

namespace {

using namespace seekless;

void require(bool holds) {
  if (!holds) std::abort();
}

// A folder of this process alone: fuzzers run side by side.
const std::string& folder() {
  static const std::string path = [] {
    std::string made = std::filesystem::temp_directory_path().string() + "/lock-fuzz-" +
                       std::to_string(::getpid());
    std::filesystem::create_directories(made);
    return made;
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = folder() + "/layout.lock";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto lock = read_lock(path);
  if (!lock) {
    require(lock.error().kind == ErrorKind::damaged);
    require(lock.error().message.size() < size * 3 + 2000);
    return 0;
  }
  const std::string again_path = folder() + "/again.lock";
  require(write_lock(*lock, again_path).has_value());
  const auto again = read_lock(again_path);
  require(again && *again == *lock);

  Content content;
  content.sources.push_back({.path = "made"});
  std::vector<format::ContentHash> hashes;
  for (const char* name : {"a", "b/c", "d", "new"}) {
    Asset asset;
    asset.path = content.paths.add(name);
    asset.place.size_bytes = 1000 * hashes.size();
    content.assets.push_back(asset);
    hashes.push_back({static_cast<uint8_t>(hashes.size() + 1)});
  }
  const HashedContent hashed(content, hashes);
  const Kept kept = keep_layout(*lock, hashed);
  require(check_layout(kept.layout, "kept").has_value());
  (void)predict_patch(*lock, kept.layout, hashed);
  return 0;
}
