// The rules for an asset's path, and the hash that finds the asset. The packer applies these rules
// to every path that comes from content; the reader applies the same rules to every path that a
// game asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace seekless {

inline constexpr size_t kMaxPathBytes = 4096;

// The rule that a path breaks. If it breaks several, the first in this order is reported.
enum class PathFault : uint8_t {
  none,
  empty,
  too_long,           // longer than kMaxPathBytes
  not_utf8,           // also overlong forms, surrogates, and code points over U+10FFFF
  control_character,  // U+0000 to U+001F and U+007F, which break lists with one path per line
  backslash,
  drive_letter,  // begins with a drive such as "c:"
  leading_slash,
  trailing_slash,
  empty_component,  // "a//b"
  dot_component,    // "." or ".." as a whole component
};

PathFault check_asset_path(std::string_view path) noexcept;

// Describes the fault as a noun phrase that can follow "found", such as "a component '.' or '..'".
// Static.
const char* describe(PathFault fault) noexcept;

bool is_valid_utf8(std::string_view text) noexcept;

// Returns true if a scenario may have this name: nonempty UTF-8 without control characters, so that
// it fits in any list and any C string.
bool is_plain_name(std::string_view name) noexcept;

// Makes ASCII letters lower case and leaves every other byte unchanged.
constexpr char fold_case(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string fold_case(std::string_view path);
// Compares fold_case(a) with fold_case(b) byte by byte. Returns less than 0, 0, or more than 0.
int compare_folded(std::string_view a, std::string_view b) noexcept;

// Hashes the bytes of `path`, or of fold_case(path) if `fold` is set, with XXH3-64 and `seed`.
// Allocates nothing.
uint64_t hash_asset_path(std::string_view path, uint64_t seed, bool fold) noexcept;

}  // namespace seekless
