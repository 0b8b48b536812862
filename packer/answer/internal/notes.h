// The notes below an answer's table: a list of at most five lines; --verbose says the rest.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace seekless {

struct AnswerNotes {
  std::vector<std::string>
      brief;  // each in one line, where names allow it; the first ones matter most
  std::vector<std::string> more;  // only told with --verbose
};

// Lines of at most `columns` characters; each ends with a newline.
std::string to_text(const AnswerNotes& notes, bool is_verbose, size_t columns);

}  // namespace seekless
