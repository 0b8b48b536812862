// Finds from a list's first lines which text its lines hold beside the path, and extracts the path
// from each line. du and find add a size, md5sum a checksum, ls -l columns, other tools a number, a
// time or an event.
//
// Real names hold spaces and numbers ("01 Intro.ogg", "Level 1"), so only text that certainly isn't
// part of a name is removed: a checksum; text before "/", "./" or a drive, or before a tab; text
// after a name's ending (".pak 1"). Where the content is known, existing names win.
//
// A list from Windows has backslashes in relative paths ("data\a.pak").
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "packer/trace/internal/line_pattern.h"

namespace seekless {

class ListForm {
 public:
  // Returns true if the content has the path, which is a line or a part of one. May be empty.
  using IsKnown = std::function<bool(std::string_view path)>;

  // Returns true if a file's first non-empty lines look like a list.
  static bool are_list(std::span<const std::string_view> lines);
  // `lines` are the first non-empty lines of the list `file`. If they don't look like a list, each
  // line is one path.
  static ListForm of(std::span<const std::string_view> lines, const IsKnown& is_known,
                     std::string_view file);

  // Takes each line as one path, whatever it looks like.
  static ListForm of_any_lines(std::span<const std::string_view> lines, const IsKnown& is_known);

  // Returns the path on a line, or nothing if the line is a heading, a sum or a folder's line.
  std::optional<std::string_view> path_of(std::string_view line, const IsKnown& is_known) const {
    // Skips the work for plain paths: most lists hold tens of thousands of them.
    if (patterns_.empty() && !can_begin(kHeadingOfPaths, line)) return line;
    return path_in_line(line, is_known);
  }

  // Says which text is removed from lines, or may have to be removed. May be empty.
  const std::string& note() const { return note_; }
  // Returns true if backslashes in relative paths separate names.
  bool is_from_windows() const { return is_from_windows_; }

 private:
  // bpftrace prints this before all output of its script.
  static constexpr std::string_view kHeadingOfPaths = "Attaching %d probe%*";

  std::optional<std::string_view> path_in_line(std::string_view line,
                                               const IsKnown& is_known) const;
  static ListForm of_text_beside(std::span<const std::string_view> lines, const IsKnown& is_known,
                                 std::string_view file);

  std::span<const std::string_view> patterns_;  // if empty, each line is one path
  std::string note_;
  bool is_from_windows_ = false;
};

}  // namespace seekless
