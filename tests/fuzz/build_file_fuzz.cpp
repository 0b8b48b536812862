// Parses any bytes as a build file. The result must be an error of kind usage that isn't much
// longer than the input, or a build in which every path is absolute and nothing is written into the
// content.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "packer/project/build_file.h"
#include "tests/fuzz/require.h"

namespace {

bool is_whole(const std::string& path) {
  return std::filesystem::path(path).is_absolute();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace seekless;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = parse_build_file(text, "/game/seekless.json");
  if (!file) {
    require(file.error().kind == ErrorKind::usage);
    require(file.error().message.size() < size * 4 + 2000);
    return 0;
  }
  require(!file->roots.empty() && (file->packs || file->zips));
  for (const std::string& root : file->roots) {
    require(is_whole(root));
    require(!file->packs || file->packs->folder != root);
  }
  require(is_whole(file->state) && file->threads <= 64);
  return 0;
}
