// What 'seekless place' is to place, and which recordings say how it loads: both stand in one row
// on its command line.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/inputs.h"

namespace seekless {

struct PlaceInputs {
  std::vector<std::string> content;  // files and folders; canonical once they are sorted
  TraceOptions traces;

  void add_to(const Command& command);
  // With --content, all in the row are recordings. Without it the first is content, and so is what
  // follows, up to the first recording by what is in it. With `has_no_traces` all are content.
  void sort(bool has_no_traces);

  // Once they are sorted and there is content: on whose file system all lies, and what it is
  // called.
  std::string folder() const;
  std::string name() const;
};

}  // namespace seekless
