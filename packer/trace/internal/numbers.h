// Numbers as tools write them into fields. A number is the whole of its field: what is anything
// else, or only begins like one, is none, so that no part of it passes for the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seekless {

// Digits, and nothing else.
std::optional<uint64_t> parse_whole_number(std::string_view text);

// What a column holds, with spaces around it: digits; digits with separators of thousands, in
// groups of three ("100,345,344") or as in India ("10,03,45,344"), of whatever locale and in
// whatever code page; or, after "0x", hexadecimal digits.
std::optional<uint64_t> parse_number(std::string_view text);
// The same for a process or a thread.
std::optional<uint32_t> parse_id(std::string_view text);

}  // namespace seekless
