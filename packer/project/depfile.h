// Makes a depfile, which lists what a step has read, in Make's syntax as compilers write it. Ninja,
// Make and CMake run the step again when one of these files changes. This is a pure function of
// names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seekless {

struct Depfile {
  std::string text;
  // Paths that a depfile can't contain, because Ninja or Make wouldn't understand them. The depfile
  // names their folders instead, whose times change when files come and go.
  std::vector<std::string> left_out;
};

// Makes one rule: `target` depends on `inputs`, each named once, sorted byte by byte. Each input is
// also the target of an empty rule, so that Make doesn't stop if it was removed.
Depfile make_depfile(std::string_view target, const std::vector<std::string>& inputs);

// Returns true if Ninja 1.11 and GNU Make 4.3 both understand the path, as tested. They don't
// understand control characters, any of *?"'&;<>|^`= (they end a name in Ninja, and are special in
// Make), a backslash at the end or before one of #$:, an opening ~ and a closing ).
bool can_be_in_depfile(std::string_view path);

}  // namespace seekless
