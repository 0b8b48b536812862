// Converts text to and from the bytes of files.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace seekless {

inline std::span<const std::byte> text_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace seekless
