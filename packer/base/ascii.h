// Classifies letters and digits of ASCII, whatever the locale is.
#pragma once

#include "runtime/asset_path.h"

namespace seekless {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

// Returns 0 to 15; -1 if the character is no hexadecimal digit.
constexpr int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr char lower_case(char c) {
  return fold_case(c);
}

}  // namespace seekless
