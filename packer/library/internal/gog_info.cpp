#include "packer/library/internal/gog_info.h"

#include <algorithm>

namespace seekless {
namespace {

constexpr size_t kLeastIdDigits = 6;  // a version such as "1" is shorter

std::string_view line_at(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_gog_id(std::string_view line) {
  return line.size() >= kLeastIdDigits &&
         std::ranges::all_of(line, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<GogInfo> parse_gameinfo(std::string_view text, const std::string& file) {
  GogInfo info = {.name = std::string(line_at(text)), .id = {}};
  if (info.name.empty() || info.name.find('\0') != std::string::npos)
    return damaged({.file = file,
                    .place = "line 1",
                    .expected = "the game's name",
                    .found = info.name.empty() ? "an empty line" : "binary data",
                    .advice = "install the game again"});
  while (!text.empty() && info.id.empty())
    if (const std::string_view line = line_at(text); is_gog_id(line)) info.id = line;
  return info;
}

}  // namespace seekless
