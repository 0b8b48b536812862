#include "packer/mentions/internal/words.h"

namespace seekless {

std::string as_name(std::string_view word) {
  std::string name;
  name.reserve(word.size());
  for (const char c : word) name += c == '\\' ? '/' : lower_case(c);
  const size_t begin = name.find_first_not_of("./");
  if (begin == std::string::npos) return "";
  return name.substr(begin, name.find_last_not_of("./") + 1 - begin);
}

}  // namespace seekless
