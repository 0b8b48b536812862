#include "packer/trace/internal/list_form.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "packer/base/ascii.h"
#include "packer/base/windows_names.h"
#include "packer/base/windows_words.h"

namespace seekless {
namespace {

// Says when the text beside a path certainly isn't part of the path.
enum class PathIsCertain : uint8_t {
  always,
  before_root,    // certain if the path begins at a root
  behind_ending,  // certain if the path has a file ending
  one_word,       // certain if the path has a root, or no spaces
};

// Describes a line by patterns, any of which may match.
struct Form {
  std::array<std::string_view, 13> patterns;
  PathIsCertain path_is_certain;
  std::string_view what;
};
constexpr std::string_view kChecksum = "a checksum";
constexpr std::string_view kNumberBefore = "a number before it";
constexpr std::string_view kNumberBehind = "a number behind it";

constexpr std::array kForms = {
    Form{{"%h *%P", "%h%s%P"}, PathIsCertain::always, kChecksum},
    Form{{"%i (%P) = %h"}, PathIsCertain::always, kChecksum},
    Form{{"%P%s%c"}, PathIsCertain::behind_ending, kChecksum},
    // These match ls -l (with its ways to write a date), find -ls, tar -tv and unzip -l.
    Form{{"%f%s%d%s%w%s%w%s%n%s%d-%d-%d%s%d:%d%s%P",
          "%f%s%d%s%w%s%w%s%n%s%d-%d-%d%s%d:%d:%w%s%w%s%P", "%f%s%d%s%w%s%w%s%n%s%w%s%w%s%w%s%P",
          "%d%s%d%s%f%s%d%s%w%s%w%s%n%s%w%s%w%s%w%s%P",
          "%s%d%s%d%s%f%s%d%s%w%s%w%s%n%s%w%s%w%s%w%s%P", "%f%s%w%s%n%s%d-%d-%d%s%d:%d%s%P",
          "%s%d%s%d-%d-%d%s%d:%d%s%P", "%d%s%d-%d-%d%s%d:%d%s%P"},
         PathIsCertain::always,
         "the columns of a listing"},
    Form{{"%n\t%P"}, PathIsCertain::always, kNumberBefore},
    Form{{"%P\t%n"}, PathIsCertain::always, kNumberBehind},
    Form{{"%d:%d:%w%s%P", "%d.%d%s%P", "%d-%d-%d%s%d:%w%s%P", "%d-%d-%dT%d:%w%s%P", "[%*] %P"},
         PathIsCertain::one_word,
         "a time"},
    Form{{"%n%s%P"}, PathIsCertain::before_root, kNumberBefore},
    Form{{"0x%x%s%P"}, PathIsCertain::before_root, kNumberBefore},
    Form{{"%P%s%d", "%P%s-%d", "%P,%d", "%P;%d", "%P, %d", "%P:%d", "%P@%d", "%P%s0x%x",
          "%P%s%d.%ds", "%P%s(%d byte%*)"},
         PathIsCertain::behind_ending,
         kNumberBehind},
    Form{{"%P%s%d%s%d", "%P%s0x%x%s0x%x", "%P:%d:%d", "%P:%d-%d", "%P@%d+%d"},
         PathIsCertain::behind_ending,
         "numbers behind it"},
    Form{{"%P -> %*"}, PathIsCertain::behind_ending, "what it leads to"},
    Form{{"%e%s%P"}, PathIsCertain::before_root, "an event"},
    Form{{"%P%s%e"}, PathIsCertain::behind_ending, "an event"},
};
// This word is the same on most lines.
constexpr Form kWordBefore = {{"%w%s%P"}, PathIsCertain::before_root, "a word before it"};
constexpr Form kWordBehind = {{"%P%s%w"}, PathIsCertain::behind_ending, "a word behind it"};
// These numbers are aligned to the right, or as large as sizes are.
constexpr Form kAmountBefore = {{"%n%s%P", "%s%n%s%P"}, PathIsCertain::always, kNumberBefore};
constexpr Form kAlone = {{"%P"}, PathIsCertain::always, {}};

std::optional<std::string_view> path_in(std::span<const std::string_view> patterns,
                                        std::string_view line) {
  for (const std::string_view pattern : patterns) {
    if (pattern.empty()) break;
    if (const auto path = match_line(pattern, line)) return path;
  }
  return std::nullopt;
}

// Matches headings, sums, folders, links, and messages of the tools themselves.
constexpr std::array<std::string_view, 10> kRemarks = {
    "total %*", "Archive:%s%*",   "%sLength%s%*",     "-------%*---", "%s%d%s%d file%*",
    "%o%s%*",   "%d%s%d%s%o%s%*", "%s%d%s%d%s%o%s%*", "%n\ttotal",    "Attaching %d probe%*"};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool has_ending(std::string_view path) {
  constexpr size_t kMaxEnding = 8;
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return false;
  const std::string_view ending = name.substr(dot + 1);
  return ending.size() <= kMaxEnding && std::ranges::all_of(ending, is_letter_or_digit);
}

bool has_root(std::string_view path) {
  return path.starts_with('/') || path.starts_with("./") || path.starts_with("../") ||
         path.starts_with(".\\") || is_path_of_windows(path);
}

bool looks_like_path(std::string_view text) {
  constexpr size_t kMostSpaces = 4;
  constexpr size_t kMostCommas = 2;
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  // Markup, JSON, CSV with quotes, comments and other tools' lines begin or end with these
  // characters; paths don't.
  if (std::string_view("<{[\"'#;*|").contains(text.front()) ||
      std::string_view(";{}>\"'").contains(text.back()))
    return false;
  size_t spaces = 0;
  size_t commas = 0;
  for (const char c : text) {
    if (is_control(c)) return false;
    spaces += c == ' ' ? 1 : 0;
    commas += c == ',' ? 1 : 0;
  }
  if (spaces > kMostSpaces || commas > kMostCommas || text.contains(": ") || text.contains("://") ||
      text.contains(" = ") || text.starts_with("//"))
    return false;
  const bool has_folder = text.find_first_of("/\\") != std::string_view::npos;
  return has_folder ? text.size() > 1 : has_ending(text);
}

bool is_certain(PathIsCertain when, std::string_view path) {
  switch (when) {
    case PathIsCertain::always:
      return true;
    case PathIsCertain::before_root:
      return has_root(path);
    case PathIsCertain::behind_ending:
      return has_ending(path);
    case PathIsCertain::one_word:
      return has_root(path) || !path.contains(' ');
  }
  return false;
}

bool is_remark(std::string_view line) {
  return std::ranges::any_of(
      kRemarks, [&](std::string_view pattern) { return match_line(pattern, line).has_value(); });
}

using Lines = std::span<const std::string_view>;

// Returns true if nine in ten lines match, and at least one. Counting stops as soon as more than
// one in ten don't.
template <typename Is>
bool are_most(Lines lines, Is is) {
  const size_t fewest = std::max<size_t>((lines.size() * 9 + 9) / 10, 1);
  size_t others = 0;
  for (const std::string_view line : lines)
    if (!is(line) && ++others + fewest > lines.size()) return false;
  return lines.size() >= fewest;
}

// Returns true if most lines have the form; with `only_certain`, only certain matches count.
bool are_of(const Form& form, Lines lines, bool only_certain) {
  return are_most(lines, [&](std::string_view line) {
    const auto path = path_in(form.patterns, line);
    return path && looks_like_path(*path) &&
           (!only_certain || is_certain(form.path_is_certain, *path));
  });
}

std::vector<std::string_view> without_remarks(Lines lines) {
  std::vector<std::string_view> wanted;
  wanted.reserve(lines.size());
  std::ranges::copy_if(lines, std::back_inserter(wanted),
                       [](std::string_view line) { return !is_remark(line); });
  return wanted;
}

size_t known_of(const Form& form, Lines lines, const ListForm::IsKnown& is_known) {
  return static_cast<size_t>(std::ranges::count_if(lines, [&](std::string_view line) {
    const auto path = path_in(form.patterns, line);
    return path && is_known(*path);
  }));
}

std::string_view first_word(std::string_view line) {
  return line.substr(0, line.find_first_of(" \t"));
}
std::string_view last_word(std::string_view line) {
  return line.substr(line.find_last_of(" \t") + 1);
}

// Returns true if at least three lines, and most of them, have the same word there beside other
// text.
bool share_word(Lines lines, std::string_view (*word_of)(std::string_view)) {
  constexpr size_t kFewest = 3;
  if (lines.size() < kFewest) return false;
  std::string_view word = word_of(lines.front());
  const auto has_word = [&](std::string_view line) {
    return word.size() < line.size() && word_of(line) == word;
  };
  const bool is_path = word.find_first_of("/\\") != std::string_view::npos;
  return !is_path && are_most(lines, has_word);
}

// Returns true if the numbers before the paths form a column, and aren't part of the names: some
// are right-aligned, or at least half have four or more digits and no leading 0.
bool are_amounts(Lines lines) {
  constexpr size_t kDigits = 4;
  size_t large = 0;
  for (const std::string_view line : lines) {
    if (line.starts_with(' ')) return true;
    const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    if (line.substr(digits).starts_with("  ")) return true;
    large += digits >= kDigits && line.front() != '0' ? 1 : 0;
  }
  return large * 2 >= lines.size();
}

// Returns true if a backslash stands between names. Unix' tools also put one before a space.
bool has_backslash_between_names(std::string_view path) {
  for (size_t at = path.find('\\'); at != std::string_view::npos; at = path.find('\\', at + 1))
    if (at + 1 < path.size() && path[at + 1] != ' ') return true;
  return false;
}

// Returns true if relative paths have backslashes, no path begins at the root of Unix, and the
// content has none of these paths with backslashes only.
bool are_from_windows(Lines paths, const ListForm::IsKnown& is_known) {
  bool have_backslashes = false;
  for (const std::string_view path : paths) {
    if (path.starts_with('/')) return false;
    if (is_path_of_windows(path) || !has_backslash_between_names(path)) continue;
    if (is_known && is_known(path) && !is_known(with_slashes(std::string(path)))) return false;
    have_backslashes = true;
  }
  return have_backslashes;
}

// Returns the form that most lines certainly have; null if there is none.
const Form* certain_form(Lines lines) {
  for (const Form& form : kForms)
    if (are_of(form, lines, true)) return &form;
  if (are_amounts(lines) && are_of(kAmountBefore, lines, true)) return &kAmountBefore;
  if (share_word(lines, first_word) && are_of(kWordBefore, lines, true)) return &kWordBefore;
  if (share_word(lines, last_word) && are_of(kWordBehind, lines, true)) return &kWordBehind;
  return nullptr;
}

// Returns a form that most lines may have, although its text could be part of the names; null for a
// plain path.
const Form* possible_form(Lines lines) {
  if (are_of(kAmountBefore, lines, false)) return &kAmountBefore;
  if (share_word(lines, first_word) && are_of(kWordBefore, lines, false)) return &kWordBefore;
  return nullptr;
}

}  // namespace

bool ListForm::are_list(Lines lines) {
  const auto wanted = without_remarks(lines);
  return !wanted.empty() && (are_of(kAlone, wanted, true) || certain_form(wanted) != nullptr);
}

ListForm ListForm::of_any_lines(Lines lines, const IsKnown& is_known) {
  ListForm form;
  form.is_from_windows_ = are_from_windows(lines, is_known);
  return form;
}

ListForm ListForm::of(Lines lines, const IsKnown& is_known, std::string_view file) {
  const IsKnown is_known_with_slashes = [&](std::string_view path) {
    return is_known(path) || (path.contains('\\') && is_known(with_slashes(std::string(path))));
  };
  ListForm form = of_text_beside(lines, is_known ? is_known_with_slashes : IsKnown(), file);
  std::vector<std::string_view> paths;
  for (const std::string_view line : lines)
    if (const auto path = form.path_of(line, is_known)) paths.push_back(*path);
  form.is_from_windows_ = are_from_windows(paths, is_known);
  return form;
}

ListForm ListForm::of_text_beside(Lines lines, const IsKnown& is_known, std::string_view file) {
  ListForm form;
  const auto wanted = without_remarks(lines);
  if (wanted.empty()) return form;
  const size_t known = is_known ? known_of(kAlone, wanted, is_known) : 0;
  if (known * 2 >= wanted.size() && known > 0) return form;
  const Form* found = certain_form(wanted);
  const Form* possible = found == nullptr ? possible_form(wanted) : nullptr;
  if (possible != nullptr && is_known && known_of(*possible, wanted, is_known) > known)
    found = possible;
  if (found != nullptr) {
    const auto example = std::ranges::find_if(
        wanted, [&](std::string_view line) { return path_in(found->patterns, line).has_value(); });
    form.patterns_ = found->patterns;
    if (example != wanted.end())
      form.note_ = fmt::format(
          "{}: the lines tell more than a path, {}: '{}' counts as '{}'; --format list takes lines "
          "as they are",
          file, found->what, *example, path_in(found->patterns, *example).value_or(""));
  } else if (possible != nullptr && are_of(kAlone, wanted, true)) {
    form.note_ = fmt::format(
        "{0}: each line begins with {1}, as '{2}' does, which counts as part of the name; if it is "
        "none, 'cut -d\" \" -f2- {0} > {0}.txt' takes it away",
        file, possible == &kAmountBefore ? "a number" : "the same word", wanted.front());
  }
  return form;
}

std::optional<std::string_view> ListForm::path_in_line(std::string_view line,
                                                       const IsKnown& is_known) const {
  if (patterns_.empty()) {
    if (match_line(kHeadingOfPaths, line)) return std::nullopt;
    return line;
  }
  if (is_known && is_known(line)) return line;
  if (const auto path = path_in(patterns_, line)) return path;
  if (is_remark(line)) return std::nullopt;
  return line;
}

}  // namespace seekless
