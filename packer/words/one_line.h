// Puts a path on one line. Some paths contain line ends, which must not start new lines in an
// answer.
#pragma once

#include <string>

namespace seekless {

inline std::string in_one_line(std::string path) {
  for (size_t at = path.find('\n'); at != std::string::npos; at = path.find('\n', at))
    path.replace(at, 1, "\\x0a");
  return path;
}

}  // namespace seekless
