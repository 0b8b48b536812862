#include "runtime/asset_path.h"

#include <algorithm>

// XXH3 is inlined, so that short paths are hashed without a call, and the runtime exports none of
// its symbols.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace seekless {
namespace {

constexpr size_t kFoldedAtOnceBytes =
    512;  // bytes of a path that are folded at once; nearly every path is shorter

constexpr bool is_letter(char c) {
  return fold_case(c) >= 'a' && fold_case(c) <= 'z';
}

// Returns the length of the UTF-8 sequence at the front of `text`; 0 if there is none. The ranges
// are those of table 3-7 of the Unicode standard, which leave out overlong forms and surrogates.
size_t utf8_sequence(std::string_view text) noexcept {
  const auto byte = [text](size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const auto between = [&byte](size_t at, unsigned low, unsigned high) {
    return byte(at) >= low && byte(at) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return between(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return between(1, low, high) && between(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return between(1, low, high) && between(2, 0x80, 0xBF) && between(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

PathFault check_components(std::string_view path) noexcept {
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    if (component.empty()) return PathFault::empty_component;
    if (component == "." || component == "..") return PathFault::dot_component;
    begin = end + 1;
  }
  return PathFault::none;
}

}  // namespace

bool is_valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const size_t length = utf8_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_plain_name(std::string_view name) noexcept {
  return !name.empty() && is_valid_utf8(name) && std::ranges::none_of(name, is_control);
}

PathFault check_asset_path(std::string_view path) noexcept {
  if (path.empty()) return PathFault::empty;
  if (path.size() > kMaxPathBytes) return PathFault::too_long;
  if (!is_valid_utf8(path)) return PathFault::not_utf8;
  if (std::ranges::any_of(path, is_control)) return PathFault::control_character;
  if (path.find('\\') != std::string_view::npos) return PathFault::backslash;
  if (path.size() >= 2 && path[1] == ':' && is_letter(path[0])) return PathFault::drive_letter;
  if (path.front() == '/') return PathFault::leading_slash;
  if (path.back() == '/') return PathFault::trailing_slash;
  return check_components(path);
}

const char* describe(PathFault fault) noexcept {
  switch (fault) {
    case PathFault::none:
      return "nothing wrong";
    case PathFault::empty:
      return "an empty path";
    case PathFault::too_long:
      return "a path of more than 4096 bytes";
    case PathFault::not_utf8:
      return "bytes that aren't UTF-8";
    case PathFault::control_character:
      return "a control character";
    case PathFault::backslash:
      return "a backslash";
    case PathFault::drive_letter:
      return "a drive letter";
    case PathFault::leading_slash:
      return "an absolute path";
    case PathFault::trailing_slash:
      return "a slash at the end";
    case PathFault::empty_component:
      return "an empty component ('//')";
    case PathFault::dot_component:
      return "a component '.' or '..'";
  }
  return "an unknown fault";
}

std::string fold_case(std::string_view path) {
  std::string folded(path);
  for (char& c : folded) c = fold_case(c);
  return folded;
}

int compare_folded(std::string_view a, std::string_view b) noexcept {
  const size_t shared = std::min(a.size(), b.size());
  for (size_t i = 0; i < shared; ++i) {
    const auto left = static_cast<unsigned char>(fold_case(a[i]));
    const auto right = static_cast<unsigned char>(fold_case(b[i]));
    if (left != right) return left < right ? -1 : 1;
  }
  if (a.size() == b.size()) return 0;
  return a.size() < b.size() ? -1 : 1;
}

uint64_t hash_asset_path(std::string_view path, uint64_t seed, bool fold) noexcept {
  if (!fold) return XXH3_64bits_withSeed(path.data(), path.size(), seed);
  char piece[kFoldedAtOnceBytes];
  const auto fold_piece = [&piece](std::string_view part) {
    for (size_t i = 0; i < part.size(); ++i) piece[i] = fold_case(part[i]);
    return part.size();
  };
  if (path.size() <= kFoldedAtOnceBytes) return XXH3_64bits_withSeed(piece, fold_piece(path), seed);
  XXH3_state_t state;
  XXH3_INITSTATE(&state);  // XXH3_64bits_reset reads the seed that the state held before
  XXH3_64bits_reset_withSeed(&state, seed);
  for (; !path.empty(); path.remove_prefix(std::min(path.size(), kFoldedAtOnceBytes)))
    XXH3_64bits_update(&state, piece, fold_piece(path.substr(0, kFoldedAtOnceBytes)));
  return XXH3_64bits_digest(&state);
}

}  // namespace seekless
