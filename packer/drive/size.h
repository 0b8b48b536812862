// Sizes and places on a drive as people write them: "600G", "128Ki".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seekless {

// A whole number, then nothing, K, M, G or T (powers of 1000), or Ki, Mi, Gi or Ti (of 1024), then
// perhaps B. Upper or lower case. None if it is anything else, or 2^64 or more.
std::optional<uint64_t> parse_size(std::string_view text);

}  // namespace seekless
