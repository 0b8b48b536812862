// Text as the bytes that files take and give.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace seekless {

inline std::span<const std::byte> text_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace seekless
