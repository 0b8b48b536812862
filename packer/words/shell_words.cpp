#include "packer/words/shell_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/words/plain_text.h"

namespace seekless {
namespace {

bool is_plain(std::string_view word, std::string_view also) {
  return !word.empty() && std::ranges::all_of(word, [also](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.contains(c);
  });
}

std::string with_escapes(std::string_view word) {
  std::string text = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\')
      text += {'\\', c};
    else if (byte < 0x20 || byte >= 0x7f)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text + "'";
}

std::string posix_word(std::string_view word) {
  if (is_plain(word, "%+,-./:=@_")) return std::string(word);
  if (word.contains('\n') || printable(word) != word) return with_escapes(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Quotes the word. A backslash in front of the closing quote is doubled, or it would make the quote
// a part of the word.
std::string windows_word(std::string_view word) {
  if (is_plain(word, "+-./\\:=@_")) return std::string(word);
  std::string text = "\"";
  for (const char c : word) text += c == '"' ? std::string("\\\"") : std::string(1, c);
  if (word.ends_with('\\')) text += '\\';
  return text + "\"";
}

}  // namespace

std::string shell_word(std::string_view word, ShellKind kind) {
  return kind == ShellKind::windows ? windows_word(word) : posix_word(word);
}

bool is_variable_setting(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  const bool begins_with_digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return name.size() < word.size() && is_plain(name, "_") && !begins_with_digit;
}

std::string shell_line(std::span<const std::string> words, ShellKind kind) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word, kind);
  return line;
}

}  // namespace seekless
