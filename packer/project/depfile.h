// A depfile: what a step has read, in Make's syntax as compilers write it, so that Ninja, Make and
// CMake run the step again when one of these files changes. A pure function of names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seekless {

struct Depfile {
  std::string text;
  // What no depfile can name so that both Ninja and Make understand it: in its stead the text names
  // the folder it lies in, whose time tells of files that come and go.
  std::vector<std::string> left_out;
};

// One rule: `target` depends on `inputs`, each named once, sorted byte by byte. Inputs are targets
// of empty rules as well, so that Make doesn't stop at one that was removed.
Depfile make_depfile(std::string_view target, const std::vector<std::string>& inputs);

// As tried with Ninja 1.11 and GNU Make 4.3. Out are control characters, any of *?"'&;<>|^`=
// (Ninja's parser takes them for the end of a name, Make for something of its own), a backslash at
// the end or before one of #$:, an opening ~ and a closing ).
bool can_be_in_depfile(std::string_view path);

}  // namespace seekless
