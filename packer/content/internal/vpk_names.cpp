#include "packer/content/internal/vpk_names.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

constexpr std::string_view kEnding = ".vpk";
constexpr size_t kLeastPartDigits = 3;
constexpr size_t kMostPartDigits = 5;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool ends_as_vpk(std::string_view path) {
  return path.size() > kEnding.size() &&
         std::ranges::equal(path.substr(path.size() - kEnding.size()), kEnding, {},
                            [](unsigned char letter) { return std::tolower(letter); });
}

// Windows' old games write names in capitals.
std::string_view spelled_like(std::string_view ending) {
  return ending == kEnding ? "dir" : "DIR";
}

}  // namespace

std::optional<VpkPartName> VpkPartName::of(std::string_view path) {
  if (!ends_as_vpk(path)) return std::nullopt;
  const std::string_view stem = path.substr(0, path.size() - kEnding.size());
  size_t digits = 0;
  while (digits < stem.size() && is_digit(stem[stem.size() - 1 - digits])) ++digits;
  if (digits < kLeastPartDigits || digits > kMostPartDigits || digits == stem.size() ||
      stem[stem.size() - 1 - digits] != '_')
    return std::nullopt;
  VpkPartName name = {.front = std::string(stem.substr(0, stem.size() - digits)),
                      .ending = std::string(path.substr(stem.size()))};
  const char* end = stem.data() + stem.size();
  const auto read = std::from_chars(end - digits, end, name.number);
  if (read.ec != std::errc() || name.number >= kVpkDirectoryNumber) return std::nullopt;
  return name;
}

std::string VpkPartName::directory() const {
  return fmt::format("{}{}{}", front, spelled_like(ending), ending);
}

std::optional<std::string> vpk_part_of(std::string_view directory, uint16_t number) {
  if (!ends_as_vpk(directory)) return std::nullopt;
  const std::string_view ending = directory.substr(directory.size() - kEnding.size());
  const std::string_view stem = directory.substr(0, directory.size() - kEnding.size());
  const std::string_view word = spelled_like(ending);
  if (!stem.ends_with(word) || !stem.substr(0, stem.size() - word.size()).ends_with('_'))
    return std::nullopt;
  return fmt::format("{}{:03}{}", stem.substr(0, stem.size() - word.size()), number, ending);
}

std::vector<std::string> spare_vpk_parts(const std::string& directory,
                                         const std::set<uint16_t>& numbers, size_t count) {
  std::vector<std::string> spare;
  // The numbers after the last one come first, then those that are left out before it.
  const uint32_t first = numbers.empty() ? 0 : *numbers.rbegin() + 1U;
  for (uint32_t step = 0; step < kVpkDirectoryNumber && spare.size() < count; ++step) {
    const auto number = static_cast<uint16_t>((first + step) % kVpkDirectoryNumber);
    if (numbers.contains(number)) continue;
    const auto path = vpk_part_of(directory, number);
    if (!path) return {};
    if (kind_of_path(*path) == PathKind::missing) spare.emplace_back(file_name(*path));
  }
  return spare;
}

}  // namespace seekless
