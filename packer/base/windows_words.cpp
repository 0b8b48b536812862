#include "packer/base/windows_words.h"

#include "packer/base/windows_names.h"

namespace seekless {

std::string_view path_before_swallowed_quote(std::string_view word) {
  const std::string_view path = word.substr(0, word.find('"'));
  const bool is_swallowed = path.size() < word.size() && !path.empty() &&
                            (is_path_of_windows(path) || path.find_first_of("/\\") != path.npos);
  return is_swallowed ? path : std::string_view();
}

}  // namespace seekless
