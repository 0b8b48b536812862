#include "packer/trace/internal/line_pattern.h"

#include <algorithm>
#include <array>

#include "packer/base/ascii.h"

namespace seekless {
namespace {

// Twice PATH_MAX; the limit also bounds the time that matching takes.
constexpr size_t kLongestLine = 8192;
constexpr size_t kMostTries = size_t{1} << 16;
constexpr size_t kBytesSoughtInATry = 64;

constexpr size_t kCrcDigits = 8;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

template <typename Is>
size_t run_of(std::string_view text, Is is) {
  return static_cast<size_t>(std::ranges::find_if_not(text, is) - text.begin());
}

// Lengths of MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512 and XXH64.
size_t checksum_at_front(std::string_view text) {
  constexpr std::array<size_t, 7> kDigits = {32, 40, 56, 64, 96, 128, 16};
  const size_t digits = run_of(text, [](char c) { return hex_digit(c) >= 0; });
  return std::ranges::find(kDigits, digits) != kDigits.end() ? digits : 0;
}

// Takes a mode such as "-rw-r--r--", perhaps followed by a mark of further attributes.
size_t mode_at_front(std::string_view text) {
  constexpr size_t kModeBytes = 10;
  if (text.size() < kModeBytes || !std::string_view("-dlbcps").contains(text.front())) return 0;
  const size_t run =
      run_of(text.substr(1), [](char c) { return std::string_view("-rwxsStT").contains(c); }) + 1;
  if (run != kModeBytes) return 0;
  const bool has_mark = text.size() > run && std::string_view("+.@").contains(text[run]);
  return run + (has_mark ? 1 : 0);
}

// Takes an amount: "655360", "655,360", "4.0K", "1,5M".
size_t amount_at_front(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return 0;
  const size_t run = run_of(text, [](char c) { return is_digit(c) || c == '.' || c == ','; });
  const bool has_unit = run < text.size() && std::string_view("KMGTkmgtB").contains(text[run]);
  return run + (has_unit ? 1 : 0);
}

size_t words_in_capitals(std::string_view text) {
  return run_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || c == ','; });
}

// Returns how much of the text's front belongs to the class; 0 if it doesn't fit.
size_t taken_by(char kind, std::string_view text) {
  switch (kind) {
    case 'd':
      return run_of(text, is_digit);
    case 'x':
      return run_of(text, [](char c) { return hex_digit(c) >= 0; });
    case 'w':
      return run_of(text, [](char c) { return !is_blank(c); });
    case 'i':
      return run_of(text, [](char c) { return is_letter_or_digit(c) || c == '_' || c == '.'; });
    case 's':
      return run_of(text, is_blank);
    case 'e':
      return words_in_capitals(text);
    case 'o':
      return text.starts_with('-') ? 0 : mode_at_front(text);
    case 'f':
      return text.starts_with('-') ? mode_at_front(text) : 0;
    case 'c':
      return run_of(text, [](char c) { return hex_digit(c) >= 0; }) == kCrcDigits ? kCrcDigits : 0;
    case 'n':
      return amount_at_front(text);
    case 'h':
      return checksum_at_front(text);
    default:
      return 0;
  }
}

bool is_class(std::string_view pattern) {
  return pattern.size() > 1 && pattern.front() == '%';
}

// Returns the first place in the line where the pattern could begin, or the line's end.
size_t place_to_try(std::string_view pattern, std::string_view line) {
  if (!is_class(pattern))
    return std::min(line.find(pattern.substr(0, pattern.find('%'))), line.size());
  if (pattern[1] == 'd') return run_of(line, [](char c) { return !is_digit(c); });
  if (pattern[1] == 's') return run_of(line, [](char c) { return !is_blank(c); });
  return 0;
}

// Returns how far to skip after a place where the pattern doesn't fit. A class such as %d ends at
// the same place from whichever of its characters it begins, so all of them are skipped.
size_t past_tried(std::string_view pattern, std::string_view line) {
  const bool takes_all = is_class(pattern) && std::string_view("dxwise").contains(pattern[1]);
  return takes_all ? std::max<size_t>(taken_by(pattern[1], line), 1) : 1;
}

class Matcher {
 public:
  bool match(std::string_view pattern, std::string_view line) {
    while (!pattern.empty()) {
      if (++tries_ > kMostTries) return false;
      if (pattern.front() != '%' || pattern.size() < 2) {
        if (line.empty() || line.front() != pattern.front()) return false;
        pattern.remove_prefix(1);
        line.remove_prefix(1);
        continue;
      }
      const char kind = pattern[1];
      pattern.remove_prefix(2);
      if (kind == '*') return match_any(pattern, line);
      if (kind == 'P') return match_wanted(pattern, line);
      const size_t taken = taken_by(kind, line);
      if (taken == 0) return false;
      tries_ += taken;
      line.remove_prefix(taken);
    }
    return line.empty();
  }
  std::string_view wanted() const { return wanted_; }

 private:
  bool match_any(std::string_view pattern, std::string_view line) {
    if (pattern.empty()) return true;
    for (;;) {
      const size_t place = place_to_try(pattern, line);
      tries_ += place / kBytesSoughtInATry;
      line.remove_prefix(place);
      if (line.empty() || tries_ > kMostTries) return match(pattern, line);
      if (match(pattern, line)) return true;
      line.remove_prefix(past_tried(pattern, line));
    }
  }
  bool match_wanted(std::string_view pattern, std::string_view line) {
    wanted_ = line;
    if (pattern.empty()) return !line.empty();
    for (size_t size = line.size(); size > 0 && tries_ <= kMostTries; --size) {
      if (!can_begin(pattern, line.substr(size)) || !match(pattern, line.substr(size))) continue;
      wanted_ = line.substr(0, size);
      return true;
    }
    return false;
  }

  std::string_view wanted_;
  size_t tries_ = 0;
};

}  // namespace

std::optional<std::string_view> match_line_from_front(std::string_view pattern,
                                                      std::string_view line) {
  if (line.size() > kLongestLine) return std::nullopt;
  Matcher matcher;
  if (!matcher.match(pattern, line)) return std::nullopt;
  return matcher.wanted();
}

}  // namespace seekless
