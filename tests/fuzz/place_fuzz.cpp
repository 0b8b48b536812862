// Takes any lines as --place rules, and the first as a read-ahead style. They must be refused with
// a short message, or carried out so that no two files overlap and none ends past the drive's end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/drive/drive.h"
#include "packer/drive/read_ahead.h"
#include "packer/simulate/disk_map.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void check_positions(const std::vector<FileToPlace>& files, const std::vector<uint64_t>& positions,
                     const Drive& drive) {
  require(positions.size() == files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    require(positions[i] % kPageBytes == 0);
    require(drive.holds(positions[i], files[i].size_bytes));
    for (size_t k = 0; k < i; ++k) {
      if (files[i].size_bytes == 0 || files[k].size_bytes == 0) continue;
      require(positions[i] + files[i].size_bytes <= positions[k] ||
              positions[k] + files[k].size_bytes <= positions[i]);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto style = parse_read_ahead(next_line(text))) {
    const auto again = parse_read_ahead(to_string(*style));
    require(again && *again == *style);
  }
  const std::vector<FileToPlace> files = {
      {"a", 5000}, {"g/b", 300'000'000'000}, {"h/b", 4096}, {"c", 0}, {"d", 600'000'000'000}};
  std::vector<PlaceRule> rules;
  while (!text.empty()) {
    const auto rule = parse_place(next_line(text));
    if (rule) rules.push_back(*rule);
  }
  const auto profile = find_profile("wd-black-1tb").value();
  (void)check_places(rules, files, {});
  if (const auto positions = place_files(files, rules, profile))
    check_positions(files, *positions, Drive(profile));
  return 0;
}
