#include "packer/base/windows_words.h"

#include "packer/base/windows_names.h"

namespace seekless {
namespace {

constexpr std::string_view kSpaces = " \t";

// Returns where the word ends: at a space outside of quotation marks. A quotation mark after an odd
// number of backslashes is part of the word.
size_t end_of_word(std::string_view line, size_t at) {
  bool is_quoted = false;
  size_t backslashes = 0;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    if (!is_quoted && kSpaces.contains(c)) break;
    if (c == '"' && backslashes % 2 == 0) is_quoted = !is_quoted;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return at;
}

}  // namespace

std::string_view path_before_swallowed_quote(std::string_view word) {
  const std::string_view path = word.substr(0, word.find('"'));
  const bool is_swallowed = path.size() < word.size() && !path.empty() &&
                            (is_path_of_windows(path) || path.find_first_of("/\\") != path.npos);
  return is_swallowed ? path : std::string_view();
}

std::string_view text_after_words(std::string_view line, size_t count) {
  size_t at = 0;
  for (; count > 0; --count) {
    at = line.find_first_not_of(kSpaces, at);
    if (at == line.npos) return {};
    at = end_of_word(line, at);
  }
  return line.substr(at);
}

bool means_something_to_cmd(std::string_view text) {
  constexpr std::string_view kActs = "&|<>^";
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && kActs.contains(c)) return true;
  }
  return false;
}

std::string as_one_word(std::string_view word, bool for_batch) {
  constexpr std::string_view kSplits = " \t\n\v\"", kOfCmd = "&|<>^()%!,;=";
  const auto holds = [&](std::string_view any) { return word.find_first_of(any) != word.npos; };
  if (!word.empty() && !holds(kSplits) && !(for_batch && holds(kOfCmd))) return std::string(word);
  std::string out = "\"";
  size_t backslashes = 0;
  for (const char c : word) {
    if (c == '"') out.append(backslashes + 1, '\\');
    backslashes = c == '\\' ? backslashes + 1 : 0;
    out += c;
  }
  return out.append(backslashes, '\\') + '"';
}

}  // namespace seekless
