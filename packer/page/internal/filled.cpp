#include <cassert>

#include "packer/page/internal/page_parts.h"

namespace seekless {

std::string filled(std::string_view skeleton,
                   const std::map<std::string_view, std::string>& values) {
  std::string page;
  for (size_t at = 0; at < skeleton.size();) {
    const size_t open = skeleton.find("{{", at);
    page += skeleton.substr(at, open - at);
    if (open == std::string_view::npos) break;
    const size_t close = skeleton.find("}}", open);
    assert(close != std::string_view::npos);
    page += values.at(skeleton.substr(open + 2, close - open - 2));
    at = close + 2;
  }
  return page;
}

}  // namespace seekless
