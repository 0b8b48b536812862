#include "packer/base/glob.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "packer/base/windows_names.h"

namespace seekless {
namespace {

// Holds one element of a pattern; the following one starts at `next`.
struct Element {
  enum class PatternPart { literal, any_character, any_run, any_path, set } kind;
  std::string_view text;  // the element's text; a set has its brackets
  size_t next;
};

std::optional<size_t> end_of_set(std::string_view pattern, size_t at) {
  size_t first = at + 1;
  if (first < pattern.size() && pattern[first] == '!') ++first;
  // A bracket right after the opening one is a member of the set, not its end.
  const size_t end = pattern.find(']', first + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return end;
}

Element element_at(std::string_view pattern, size_t at) {
  using PatternPart = Element::PatternPart;
  switch (pattern[at]) {
    case '*':
      if (pattern.substr(at, 2) == "**") return {PatternPart::any_path, {}, at + 2};
      return {PatternPart::any_run, {}, at + 1};
    case '?':
      return {PatternPart::any_character, {}, at + 1};
    case '[':
      if (const auto end = end_of_set(pattern, at))
        return {PatternPart::set, pattern.substr(at, *end + 1 - at), *end + 1};
      break;
    case '\\':
      if (at + 1 < pattern.size()) return {PatternPart::literal, pattern.substr(at + 1, 1), at + 2};
      break;
    default:
      break;
  }
  return {PatternPart::literal, pattern.substr(at, 1), at + 1};
}

bool in_set(std::string_view set, char c) {
  set = set.substr(1, set.size() - 2);
  const bool negated = !set.empty() && set.front() == '!';
  if (negated) set.remove_prefix(1);
  const auto code = static_cast<unsigned char>(c);
  bool found = false;
  for (size_t i = 0; i < set.size(); ++i) {
    const auto low = static_cast<unsigned char>(set[i]);
    auto high = low;
    if (i + 2 < set.size() && set[i + 1] == '-') {
      high = static_cast<unsigned char>(set[i + 2]);
      i += 2;
    }
    found = found || (low <= code && code <= high);
  }
  return found != negated && c != '/';
}

bool ends_with_any_path(std::string_view pattern) {
  bool is_last = false;
  for (size_t at = 0; at < pattern.size();) {
    const Element element = element_at(pattern, at);
    is_last = element.kind == Element::PatternPart::any_path;
    at = element.next;
  }
  return is_last;
}

bool matches_whole(std::string_view pattern, std::string_view path) {
  // reach[i] is true if the pattern so far can match the first i characters of the path.
  std::vector<bool> reach(path.size() + 1);
  reach[0] = true;
  size_t at = 0;
  bool slash_is_optional = false;
  while (at < pattern.size()) {
    const Element element = element_at(pattern, at);
    at = element.next;
    std::vector<bool> next(path.size() + 1);
    next[0] = std::exchange(slash_is_optional, false);
    for (size_t i = 0; i <= path.size(); ++i) {
      const bool here = reach[i];
      const bool more = i < path.size();
      switch (element.kind) {
        case Element::PatternPart::any_run:
          next[i] = here || (i > 0 && next[i - 1] && path[i - 1] != '/');
          break;
        case Element::PatternPart::any_path:
          next[i] = here || (i > 0 && next[i - 1]);
          break;
        case Element::PatternPart::literal:
          if (here && more && path[i] == element.text.front()) next[i + 1] = true;
          break;
        case Element::PatternPart::any_character:
          if (here && more && path[i] != '/') next[i + 1] = true;
          break;
        case Element::PatternPart::set:
          if (here && more && in_set(element.text, path[i])) next[i + 1] = true;
          // Folders may have names like "Quest [GOTY]".
          if (here && path.substr(i).starts_with(element.text))
            next[i + element.text.size()] = true;
          break;
      }
    }
    // "**/x" also matches x at the top: at the start, the slash after "**" may match nothing.
    slash_is_optional = element.kind == Element::PatternPart::any_path && reach[0] &&
                        at < pattern.size() && pattern[at] == '/';
    reach.swap(next);
  }
  return reach[path.size()];
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) {
  if (is_path_of_windows(pattern))
    return matches_whole(one_windows_spelling(pattern), one_windows_spelling(path));
  if (pattern.find('/') == std::string_view::npos) {
    const size_t slash = path.rfind('/');
    if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  }
  return matches_whole(pattern, path);
}

bool matches_any_glob(const std::vector<std::string>& patterns, std::string_view path) {
  return std::ranges::any_of(
      patterns, [path](const std::string& pattern) { return matches_glob(pattern, path); });
}

bool any_glob_covers_folder(const std::vector<std::string>& patterns, std::string_view folder) {
  const std::string inside = std::string(folder) + "/";
  // If the pattern matches up to here, it matches however the path continues.
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return ends_with_any_path(pattern) && matches_glob(pattern, inside);
  });
}

bool any_glob_names_folder(const std::vector<std::string>& patterns, std::string_view folder) {
  return matches_any_glob(patterns, folder) ||
         matches_any_glob(patterns, std::string(folder) + "/");
}

}  // namespace seekless
