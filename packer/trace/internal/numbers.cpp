#include "packer/trace/internal/numbers.h"

#include <array>
#include <charconv>

#include "packer/base/ascii.h"

namespace seekless {
namespace {

// Lists separators of groups of digits. After the first five come, in this order: no-break spaces,
// thin spaces, apostrophes and the Arabic separator, in UTF-8; the no-break space and apostrophe of
// Windows' code pages; those same bytes misread in another code page; and replacements for
// characters that a conversion couldn't express.
constexpr std::array<std::string_view, 19> kSeparators = {",",
                                                          ".",
                                                          " ",
                                                          "'",
                                                          "_",
                                                          "\xc2\xa0",
                                                          "\xe2\x80\xaf",
                                                          "\xe2\x80\x87",
                                                          "\xe2\x80\x89",
                                                          "\xe2\x80\x99",
                                                          "\xd9\xac",
                                                          "\xc3\x82\xc2\xa0",
                                                          "\xc3\xbf",
                                                          "\xc3\xa1",
                                                          "\xef\xbf\xbd",
                                                          "\xa0",
                                                          "\xff",
                                                          "\x92",
                                                          "?"};

std::string_view separator_at(std::string_view text) {
  for (const std::string_view separator : kSeparators)
    if (text.starts_with(separator)) return separator;
  return {};
}

template <typename T>
std::optional<T> whole(std::string_view text, int base) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

size_t digits_at_front(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

// Checks the groups between the first and the last one: all have two digits, or all have three. If
// the first group is longer than three digits, only one group follows; a setting of Windows writes
// numbers so.
std::optional<uint64_t> parse_groups(std::string_view text) {
  constexpr size_t kMostDigits = 20;
  constexpr size_t kLastGroup = 3;
  std::array<char, kMostDigits> digits{};
  size_t count = digits_at_front(text);
  if (count == 0 || count > kMostDigits || text.front() == '0') return std::nullopt;
  const size_t first_group = count;
  text.copy(digits.data(), count);
  text.remove_prefix(count);
  const std::string_view separator = separator_at(text);
  if (separator.empty()) return std::nullopt;
  size_t groups = 0;
  size_t between = 0;  // digits of each group but the last
  while (!text.empty()) {
    if (!text.starts_with(separator)) return std::nullopt;
    text.remove_prefix(separator.size());
    const size_t group = digits_at_front(text);
    if (group == 0 || group > kLastGroup || count + group > kMostDigits) return std::nullopt;
    text.copy(digits.data() + count, group);
    count += group;
    text.remove_prefix(group);
    ++groups;
    if (text.empty()) {
      const bool is_long = first_group > kLastGroup && groups > 1;
      if (group != kLastGroup || is_long) return std::nullopt;
      if (between != 0 && first_group > between) return std::nullopt;
      break;
    }
    if (group < 2 || (between != 0 && group != between)) return std::nullopt;
    between = group;
  }
  return whole<uint64_t>({digits.data(), count}, 10);
}

// Parses plain digits, or groups of three digits with a one-byte separator, which are nearly all
// numbers. Refuses so many digits that a sum of such numbers could overflow.
std::optional<uint64_t> parse_usual(std::string_view text) {
  constexpr size_t kMostPlain = 19;
  constexpr size_t kMostGrouped = 23;  // six groups and five separators
  constexpr size_t kGroup = 3;
  uint64_t value = 0;
  size_t at = 0;
  if (text.size() > kMostGrouped) return std::nullopt;
  const auto take_digits = [&](size_t end) {
    for (; at < end && is_digit(text[at]); ++at)
      value = value * 10 + static_cast<uint64_t>(text[at] - '0');
    return at == end;
  };
  const size_t first = std::min(text.size(), kMostPlain);
  if (take_digits(first))
    return first > 0 && first == text.size() ? std::optional(value) : std::nullopt;
  const char separator = text[at];
  const bool is_one = separator == ',' || separator == '.' || separator == ' ' || separator == '\'';
  if (at == 0 || at > kGroup || text.front() == '0' || !is_one) return std::nullopt;
  for (; at < text.size();) {
    if (text[at] != separator || text.size() - at <= kGroup) return std::nullopt;
    ++at;
    if (!take_digits(at + kGroup)) return std::nullopt;
  }
  return value;
}

// Parses the rarer forms.
std::optional<uint64_t> parse_unusual(std::string_view text) {
  text = without_spaces(text);
  if (text.starts_with("0x") || text.starts_with("0X")) return whole<uint64_t>(text.substr(2), 16);
  if (const auto plain = whole<uint64_t>(text, 10)) return plain;
  return parse_groups(text);
}

}  // namespace

std::optional<uint64_t> parse_whole_number(std::string_view text) {
  return whole<uint64_t>(text, 10);
}

std::optional<uint64_t> parse_number(std::string_view text) {
  if (const auto usual = parse_usual(text)) return usual;
  return parse_unusual(text);
}

std::optional<uint32_t> parse_id(std::string_view text) {
  if (const auto plain = whole<uint32_t>(text, 10)) return plain;
  const auto number = parse_unusual(text);
  if (!number || *number > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

}  // namespace seekless
