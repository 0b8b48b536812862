// Numbers texts, such as the paths of a trace. Looking up a text doesn't copy it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace seekless {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

using TextNumbers = std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>>;

}  // namespace seekless
