#include "packer/words/plain_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "packer/words/utf8.h"

namespace seekless {
namespace {

constexpr std::string_view kReplacementBytes = "\xef\xbf\xbd";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

struct Range {
  char32_t first;
  char32_t last;
};

// Lists characters without a width, and marks that join the character before them. Source: Unicode
// 15, general categories Mn and Cf of the scripts that file names use.
constexpr std::array kZeroWidth = std::to_array<Range>(
    {{0x00ad, 0x00ad}, {0x0300, 0x036f},  {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
     {0x064b, 0x065f}, {0x093c, 0x093c},  {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
     {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},  {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2060, 0x2064},
     {0x20d0, 0x20ff}, {0x302a, 0x302d},  {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
     {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}});

// Lists characters of double width. Source: Unicode 15, East Asian Width W and F.
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

void for_each_character(std::string_view text, auto&& act) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    act(character, text.substr(0, character.bytes));
    text.remove_prefix(character.bytes);
  }
}

bool is_ascii_control(char32_t code) {
  return code < 0x20 || code == 0x7f;
}

// Returns true for C1 controls, line and paragraph separators, and characters that change the
// direction of writing.
bool is_other_control(char32_t code) {
  return (code >= 0x80 && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f || code == 0x061c;
}

// Returns true if it is safe to send the character to a terminal as it is. All shown text is tested
// here.
bool is_shown(const Utf8Character& character) {
  return character.valid && !is_ascii_control(character.code) && !is_other_control(character.code);
}

size_t character_columns(char32_t code) {
  if (is_in(kZeroWidth, code)) return 0;
  return is_in(kDoubleWidth, code) ? 2 : 1;
}

// Returns the length in bytes of the longest prefix of `text` that fits `columns`, including
// combining marks.
size_t fitting_start(std::string_view text, size_t columns) {
  size_t bytes = 0;
  bool full = false;
  for_each_character(text, [&](const Utf8Character& character, std::string_view) {
    const size_t width = character_columns(character.code);
    full = full || width > columns;
    if (full) return;
    columns -= width;
    bytes += character.bytes;
  });
  return bytes;
}

// Returns the longest suffix of `text` that fits `columns` and doesn't begin with a combining mark.
std::string_view fitting_end(std::string_view text, size_t columns) {
  size_t width = columns_of(text);
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const size_t own = character_columns(character.code);
    if (width <= columns && own > 0) break;
    width -= own;
    text.remove_prefix(character.bytes);
  }
  return text;
}

constexpr auto kUnits = std::to_array<std::string_view>(
    {"%", "s", "ms", "bytes", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "times"});

// Returns true if both words must stay on one line: a number that is cut off from its unit
// misleads.
bool belongs_together(std::string_view word, std::string_view next) {
  if (word.empty() || word.back() < '0' || word.back() > '9') return false;
  while (!next.empty() && std::string_view(".,;:)").find(next.back()) != std::string_view::npos)
    next.remove_suffix(1);
  return std::ranges::find(kUnits, next) != kUnits.end();
}

// Takes the next word, with the unit that follows it.
std::string_view take_word(std::string_view& text) {
  size_t end = std::min(text.find(' '), text.size());
  if (end + 1 < text.size()) {
    const std::string_view rest = text.substr(end + 1);
    const std::string_view next = rest.substr(0, rest.find(' '));
    if (belongs_together(text.substr(0, end), next)) end += 1 + next.size();
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::vector<std::string> wrap_words(std::string_view clean_text, size_t columns,
                                    bool breaks_words) {
  std::vector<std::string> lines;
  std::string line;
  size_t line_columns = 0;
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
    line_columns = 0;
  };
  while (!clean_text.empty()) {
    std::string_view word = take_word(clean_text);
    if (!line.empty() && line_columns + 1 + columns_of(word) > columns) end_line();
    for (; breaks_words && columns_of(word) > columns; word.remove_prefix(lines.back().size()))
      lines.emplace_back(word.substr(0, fitting_start(word, columns)));
    if (word.empty()) continue;
    if (!line.empty()) line += ' ';
    line += word;
    line_columns = columns_of(line);
  }
  end_line();
  return lines;
}

// Returns the length in bytes of the names' common prefix, in whole characters; npos if all names
// are equal.
size_t shared_start(const std::vector<std::string>& names, const std::vector<size_t>& group) {
  const std::string& first = names[group.front()];
  size_t shared = std::string::npos;
  for (const size_t i : group) {
    if (names[i] == first) continue;
    const auto [a, b] = std::ranges::mismatch(first, names[i]);
    shared = std::min(shared, static_cast<size_t>(a - first.begin()));
  }
  if (shared == std::string::npos) return shared;
  return begin_of_character(first, shared);
}

// Keeps the beginning, the text after `from`, and the end if there is room for it.
std::string cut_around(std::string_view name, size_t from, size_t columns) {
  const std::string_view start = name.substr(0, fitting_start(name, columns / 3));
  if (from <= start.size()) return cut_middle(name, columns);
  const size_t room = columns - columns_of(start) - 1;
  return fmt::format("{}{}{}", start, kEllipsis, cut_middle(name.substr(from), room));
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](const Utf8Character& character, std::string_view bytes) {
    out += character.valid ? bytes : kReplacementBytes;
  });
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](const Utf8Character& character, std::string_view bytes) {
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
  for_each_character(text, [&](const Utf8Character& character, std::string_view bytes) {
    if (is_ascii_control(character.code))
      out += fmt::format("\\x{:02x}", static_cast<uint32_t>(character.code));
    else
      out += is_shown(character) ? bytes : kReplacementBytes;
  });
  return out;
}

size_t columns_of(std::string_view clean_text) {
  size_t columns = 0;
  for_each_character(clean_text, [&](const Utf8Character& character, std::string_view) {
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

std::string more_rows(size_t count) {
  if (count <= kMostTableRows) return "";
  return fmt::format("and {} more; --json has them all\n", count - kMostTableRows);
}

std::string pad_right(std::string_view clean_text, size_t columns) {
  const size_t width = columns_of(clean_text);
  return std::string(clean_text) + std::string(width < columns ? columns - width : 0, ' ');
}

std::string pad_left(std::string_view clean_text, size_t columns) {
  const size_t width = columns_of(clean_text);
  return std::string(width < columns ? columns - width : 0, ' ') + std::string(clean_text);
}

std::vector<std::string> cut_names(const std::vector<std::string>& clean_names, size_t columns) {
  std::vector<std::string> cut;
  for (const std::string& name : clean_names) cut.push_back(cut_middle(name, columns));
  // Each round separates texts that look alike, at the place where they first differ.
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    std::map<std::string, std::vector<size_t>> alike;
    for (size_t i = 0; i < cut.size(); ++i)
      if (cut[i] != clean_names[i]) alike[cut[i]].push_back(i);
    bool has_changed = false;
    for (const auto& [text, group] : alike) {
      const size_t shared = shared_start(clean_names, group);
      if (shared == std::string::npos) continue;
      for (const size_t i : group) {
        std::string shown = cut_around(clean_names[i], shared, columns);
        has_changed = has_changed || shown != cut[i];
        cut[i] = std::move(shown);
      }
    }
    if (!has_changed) break;
  }
  return cut;
}

std::vector<std::string> name_cells(const std::vector<std::string>& clean_names, size_t most) {
  size_t columns = 8;
  for (const std::string& name : clean_names) columns = std::max(columns, columns_of(name));
  columns = std::min(columns, most);
  std::vector<std::string> cells = cut_names(clean_names, columns);
  for (std::string& cell : cells) cell = pad_right(cell, columns);
  return cells;
}

std::vector<std::string> wrap(std::string_view clean_text, size_t columns) {
  return wrap_words(clean_text, columns, true);
}

std::string paragraph(std::string_view text, size_t columns) {
  std::string out;
  for (const std::string& line : wrap(clean_line(text), columns)) out += line + "\n";
  return out;
}

size_t table_columns(size_t terminal_columns) {
  return std::clamp<size_t>(terminal_columns, 80, 120);
}

std::string fit_lines(std::string_view text, size_t columns) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool has_end = end < text.size();
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool is_row = line.find("  ", indent) != std::string_view::npos;
    if (columns_of(line) <= columns || is_row || indent + 2 > columns) {
      out += line;
    } else {
      std::string_view between;
      for (const std::string& part : wrap_words(line.substr(indent), columns - indent, false)) {
        out += std::string(between) + std::string(indent, ' ') + part;
        between = "\n";
      }
    }
    if (has_end) out += '\n';
  }
  return out;
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
