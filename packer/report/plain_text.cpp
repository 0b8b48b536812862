#include "packer/report/plain_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace seekless {
namespace {

constexpr char32_t kReplacement = 0xfffd;
constexpr std::string_view kReplacementBytes = "\xef\xbf\xbd";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

struct Range {
  char32_t first;
  char32_t last;
};

// Marks that join the character before them, and characters without a width.
// Source: Unicode 15, general categories Mn and Cf of the scripts that file names use.
constexpr std::array kZeroWidth = std::to_array<Range>(
    {{0x00ad, 0x00ad}, {0x0300, 0x036f},  {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
     {0x064b, 0x065f}, {0x093c, 0x093c},  {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
     {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},  {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2060, 0x2064},
     {0x20d0, 0x20ff}, {0x302a, 0x302d},  {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
     {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}});

// Source: Unicode 15, East Asian Width W and F.
constexpr std::array kDoubleWidth = std::to_array<Range>({{0x1100, 0x115f},
                                                          {0x231a, 0x231b},
                                                          {0x2e80, 0x303e},
                                                          {0x3041, 0x4dbf},
                                                          {0x4e00, 0xa4cf},
                                                          {0xa960, 0xa97c},
                                                          {0xac00, 0xd7a3},
                                                          {0xf900, 0xfaff},
                                                          {0xfe30, 0xfe6f},
                                                          {0xff00, 0xff60},
                                                          {0xffe0, 0xffe6},
                                                          {0x17000, 0x18cff},
                                                          {0x1f300, 0x1f64f},
                                                          {0x1f680, 0x1f6ff},
                                                          {0x1f900, 0x1f9ff},
                                                          {0x20000, 0x3fffd}});

bool is_in(const auto& ranges, char32_t code) {
  const auto at = std::ranges::lower_bound(ranges, code, {}, &Range::last);
  return at != std::end(ranges) && at->first <= code;
}

struct Character {
  char32_t code = kReplacement;
  size_t bytes = 1;
  bool valid = false;
};

// The first character; one byte of what isn't UTF-8. Overlong forms and surrogates aren't.
Character first_character(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t code = lead & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    code = code << 6 | (byte & 0x3f);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, length, true};
}

void for_each_character(std::string_view text, auto&& act) {
  while (!text.empty()) {
    const Character character = first_character(text);
    act(character, text.substr(0, character.bytes));
    text.remove_prefix(character.bytes);
  }
}

bool is_ascii_control(char32_t code) {
  return code < 0x20 || code == 0x7f;
}

// C1 controls, line and paragraph separators, and those that turn the direction of writing.
bool is_other_control(char32_t code) {
  return (code >= 0x80 && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f || code == 0x061c;
}

// Whether a terminal may be given it as it is. All text that is shown goes by this.
bool is_shown(const Character& character) {
  return character.valid && !is_ascii_control(character.code) && !is_other_control(character.code);
}

size_t character_columns(char32_t code) {
  if (is_in(kZeroWidth, code)) return 0;
  return is_in(kDoubleWidth, code) ? 2 : 1;
}

// Bytes of the longest start of `text` that fits `columns`, with its combining marks.
size_t fitting_start(std::string_view text, size_t columns) {
  size_t bytes = 0;
  bool full = false;
  for_each_character(text, [&](const Character& character, std::string_view) {
    const size_t width = character_columns(character.code);
    full = full || width > columns;
    if (full) return;
    columns -= width;
    bytes += character.bytes;
  });
  return bytes;
}

// The longest end of `text` that fits `columns` and doesn't begin with a combining mark.
std::string_view fitting_end(std::string_view text, size_t columns) {
  size_t width = columns_of(text);
  while (!text.empty()) {
    const Character character = first_character(text);
    const size_t own = character_columns(character.code);
    if (width <= columns && own > 0) break;
    width -= own;
    text.remove_prefix(character.bytes);
  }
  return text;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](const Character& character, std::string_view bytes) {
    out += character.valid ? bytes : kReplacementBytes;
  });
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](const Character& character, std::string_view bytes) {
    if (character.code == '\n' || is_shown(character))
      out += bytes;
    else
      for (const char byte : bytes)
        out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  });
  return out;
}

std::string clean_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](const Character& character, std::string_view bytes) {
    if (is_ascii_control(character.code))
      out += fmt::format("\\x{:02x}", static_cast<uint32_t>(character.code));
    else
      out += is_shown(character) ? bytes : kReplacementBytes;
  });
  return out;
}

size_t columns_of(std::string_view clean_text) {
  size_t columns = 0;
  for_each_character(clean_text, [&](const Character& character, std::string_view) {
    columns += character_columns(character.code);
  });
  return columns;
}

std::string cut_middle(std::string_view clean_text, size_t columns) {
  if (columns_of(clean_text) <= columns) return std::string(clean_text);
  const size_t kept = columns - 1;
  const std::string_view start = clean_text.substr(0, fitting_start(clean_text, kept - kept / 2));
  const std::string_view end = fitting_end(clean_text, kept - columns_of(start));
  return fmt::format("{}{}{}", start, kEllipsis, end);
}

std::string pad_right(std::string_view clean_text, size_t columns) {
  const size_t width = columns_of(clean_text);
  return std::string(clean_text) + std::string(width < columns ? columns - width : 0, ' ');
}

std::string pad_left(std::string_view clean_text, size_t columns) {
  const size_t width = columns_of(clean_text);
  return std::string(width < columns ? columns - width : 0, ' ') + std::string(clean_text);
}

std::vector<std::string> wrap(std::string_view clean_text, size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  size_t line_columns = 0;
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
    line_columns = 0;
  };
  while (!clean_text.empty()) {
    std::string_view word = clean_text.substr(0, clean_text.find(' '));
    clean_text.remove_prefix(std::min(word.size() + 1, clean_text.size()));
    if (!line.empty() && line_columns + 1 + columns_of(word) > columns) end_line();
    for (; columns_of(word) > columns; word.remove_prefix(lines.back().size()))
      lines.emplace_back(word.substr(0, fitting_start(word, columns)));
    if (word.empty()) continue;
    if (!line.empty()) line += ' ';
    line += word;
    line_columns = columns_of(line);
  }
  end_line();
  return lines;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : clean_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace seekless
