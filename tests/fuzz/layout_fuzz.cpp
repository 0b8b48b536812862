// Parses any bytes as a layout. The result must be an error of kind damaged, or a layout that stays
// the same when written again.
#include <cstdint>
#include <fstream>
#include <string>

#include "packer/layout/layout.h"
#include "tests/fuzz/own_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = own_file("layout.json");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto layout = read_layout(path);
  if (!layout) {
    require(layout.error().kind == ErrorKind::damaged);
    require(layout.error().message.size() < size * 2 + 2000);
    return 0;
  }
  const std::string again_path = own_file("again.json");
  require(write_layout(*layout, again_path).has_value());
  const auto again = read_layout(again_path);
  require(again && *again == *layout);
  return 0;
}
