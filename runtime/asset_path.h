// What an asset may be called, and the hash it is found by. The packer checks every path that comes
// from content with these rules; the reader checks and hashes what a game asks for by the same
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace seekless {

inline constexpr size_t kMaxPathBytes = 4096;

// Which rule a path breaks; the first one found, in the order below.
enum class PathFault : uint8_t {
  none,
  empty,
  too_long,           // more than kMaxPathBytes
  not_utf8,           // also: overlong forms, surrogates, code points over U+10FFFF
  control_character,  // U+0000 to U+001F and U+007F: no line of a list could hold them
  backslash,
  drive_letter,  // "c:" in front
  leading_slash,
  trailing_slash,
  empty_component,  // "a//b"
  dot_component,    // "." or ".." as a whole component
};

PathFault check_asset_path(std::string_view path) noexcept;

// What a path with this fault is, to stand after "found": "a component '.' or '..'". Static.
const char* describe(PathFault fault) noexcept;

bool is_valid_utf8(std::string_view text) noexcept;

// What a scenario may be called: UTF-8 of at least a byte, without control characters, so that any
// list and any C string can hold it.
bool is_plain_name(std::string_view name) noexcept;

// ASCII letters become lower case; every other byte stays.
constexpr char fold_case(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string fold_case(std::string_view path);
// Less than, equal to or greater than 0, as fold_case(a) and fold_case(b) compare byte by byte.
int compare_folded(std::string_view a, std::string_view b) noexcept;

// XXH3-64 with `seed` over the bytes of `path`, or of fold_case(path) if `fold`. Doesn't allocate.
uint64_t hash_asset_path(std::string_view path, uint64_t seed, bool fold) noexcept;

}  // namespace seekless
