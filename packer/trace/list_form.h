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

namespace seekless {

class ListForm {
 public:
  // Whether the content has what a line, or a part of it, names. May be empty.
  using IsKnown = std::function<bool(std::string_view path)>;

  // `lines` are the first ones of the list `file`, without empty ones. Nothing if they are no list.
  static std::optional<ListForm> of(std::span<const std::string_view> lines,
                                    const IsKnown& is_known, std::string_view file);

  // The path on a line, or nothing where the line is a heading, a sum or a folder's.
  std::optional<std::string_view> path_of(std::string_view line, const IsKnown& is_known) const;

  // What a person should know: what is taken away, or what may have to be. May be empty.
  const std::string& note() const { return note_; }

 private:
  std::span<const std::string_view> patterns_;  // none: a path alone
  std::string note_;
};

}  // namespace seekless
