// Separates the positional arguments of 'seekless place' and 'advise' into content and recordings.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/inputs.h"

namespace seekless {

struct PlaceInputs {
  std::vector<std::string> content;  // files and folders, as canonical paths after sort()
  TraceOptions traces;

  void add_to(const Command& command);
  // Separates the paths. With --content, all of them are recordings. Without it, the first path is
  // content, and so are the next ones up to the first file with a recording. If `has_no_traces` is
  // true, all are content.
  void sort(bool has_no_traces);

  // These can be called after sort() if there is content. They return the folder on whose file
  // system everything lies, and a name for the content.
  std::string folder() const;
  std::string name() const;
};

}  // namespace seekless
