// Parses sizes and places on a drive as people write them: "600G", "128Ki".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seekless {

// Parses a whole number, followed by nothing, K, M, G or T (powers of 1000), or Ki, Mi, Gi or Ti
// (of 1024), and optionally B. Upper and lower case are the same. Returns nothing for anything
// else, and for 2^64 or more.
std::optional<uint64_t> parse_size(std::string_view text);

}  // namespace seekless
