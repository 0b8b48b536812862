// Matches a line of text with a pattern, for tables that describe tools' output:
//     %d digits    %x hexadecimal digits    %w a word, without spaces    %s spaces and tabs
//     %i a name of letters, digits, '_' and '.'
//     %e words in capitals, joined by commas (OPEN,ISDIR)
//     %f the mode of a regular file (-rw-r--r--)    %o that of anything else
//     %n a number, perhaps with a fraction and a unit (4.0K)
//     %h the digits of a checksum    %c those of a CRC-32
//     %* anything, perhaps nothing    %P the text looked for: at least one character
// Each but the last two takes as much as it can, at least one character. %P takes as much as
// possible, and %* as little as possible, so that the rest matches. Any other text matches itself.
#pragma once

#include <optional>
#include <string_view>

#include "packer/base/ascii.h"

namespace seekless {

// If the whole of `line` matches `pattern`, returns the text matched by %P (empty if the pattern
// has no %P). Lines longer than any path never match.
inline std::optional<std::string_view> match_line(std::string_view pattern, std::string_view line);

// Does the same for a line that can_begin() accepts for the pattern.
std::optional<std::string_view> match_line_from_front(std::string_view pattern,
                                                      std::string_view line);

// Checks the first character, which rules out most lines for most patterns without a call.
inline bool can_begin(std::string_view pattern, std::string_view line) {
  if (pattern.empty() || line.empty()) return pattern.empty() == line.empty() || pattern == "%*";
  const char first = line.front();
  if (pattern.front() != '%' || pattern.size() == 1) return pattern.front() == first;
  switch (pattern[1]) {
    case 'd':
    case 'n':
      return is_digit(first);
    case 's':
      return first == ' ' || first == '\t';
    case 'f':
      return first == '-';
    default:
      return true;
  }
}

inline std::optional<std::string_view> match_line(std::string_view pattern, std::string_view line) {
  return can_begin(pattern, line) ? match_line_from_front(pattern, line) : std::nullopt;
}

}  // namespace seekless
