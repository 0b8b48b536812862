// Lists of paths often say more on each line: du and find a size, md5sum a checksum, ls -l columns,
// other tools a number, a time or an event. Finds out what that is from a list's first lines, and
// takes the path out of each.
//
// Real names hold spaces and numbers ("01 Intro.ogg", "Level 1"), so what is taken away must be no
// part of a name for sure: a checksum; what stands before "/", "./" or a drive, or apart by a tab;
// what stands behind a name's ending (".pak 1"). Where the content is known, names that exist win.
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
  // Whether the content has what a line, or a part of it, names. May be empty.
  using IsKnown = std::function<bool(std::string_view path)>;

  // Whether the first lines of a file, without empty ones, look like those of a list.
  static bool are_list(std::span<const std::string_view> lines);
  // `lines` are the same of the list `file`. If they are no list, each is a path alone.
  static ListForm of(std::span<const std::string_view> lines, const IsKnown& is_known,
                     std::string_view file);

  // The path on a line, or nothing where the line is a heading, a sum or a folder's.
  std::optional<std::string_view> path_of(std::string_view line, const IsKnown& is_known) const {
    // Most lists have nothing but paths, by the ten thousand: those lines cost no call.
    if (patterns_.empty() && !can_begin(kHeadingOfPaths, line)) return line;
    return path_in_line(line, is_known);
  }

  // What a person should know: what is taken away, or what may have to be. May be empty.
  const std::string& note() const { return note_; }

 private:
  // What bpftrace prints before all that its script does.
  static constexpr std::string_view kHeadingOfPaths = "Attaching %d probe%*";

  std::optional<std::string_view> path_in_line(std::string_view line,
                                               const IsKnown& is_known) const;

  std::span<const std::string_view> patterns_;  // none: a path alone
  std::string note_;
};

}  // namespace seekless
