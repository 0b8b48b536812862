// Sorts the arguments of 'seekless place', where content and recordings stand in one row: what to
// place, and how the game loads it.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/inputs.h"

namespace seekless {

struct PlaceInputs {
  std::vector<std::string> content;  // files and folders, as canonical paths after sort()
  TraceOptions traces;

  void add_to(const Command& command);
  // Sorts the row. With --content, all paths are recordings. Without it, the first is content, and
  // so are the next ones up to the first file that holds a recording. With `has_no_traces`, all are
  // content.
  void sort(bool has_no_traces);

  // These can be called after sort() if there is content. They return the folder on whose file
  // system everything lies, and a name for the content.
  std::string folder() const;
  std::string name() const;
};

}  // namespace seekless
