// Any bytes as a layout: an error of kind damaged, or a layout that comes back as it is written.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "packer/layout/layout.h"

namespace {

using namespace seekless;

void require(bool holds) {
  if (!holds) std::abort();
}

// A folder of this process alone: fuzzers run side by side.
const std::string& folder() {
  static const std::string path = [] {
    std::string made = std::filesystem::temp_directory_path().string() + "/layout-fuzz-" +
                       std::to_string(::getpid());
    std::filesystem::create_directories(made);
    return made;
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = folder() + "/layout.json";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto layout = read_layout(path);
  if (!layout) {
    require(layout.error().kind == ErrorKind::damaged);
    require(layout.error().message.size() < size * 2 + 2000);
    return 0;
  }
  const std::string again_path = folder() + "/again.json";
  require(write_layout(*layout, again_path).has_value());
  const auto again = read_layout(again_path);
  require(again && *again == *layout);
  return 0;
}
