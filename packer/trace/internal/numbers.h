// Parses numbers as tools write them into fields. The number must fill its field: a field that only
// begins like a number is none, so that no part of it passes for the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seekless {

// Takes digits, and nothing else.
std::optional<uint64_t> parse_whole_number(std::string_view text);

// Takes a column's number, with spaces around it. It may be digits; digits with thousands
// separators of any locale and code page, in groups of three ("100,345,344") or as in India
// ("10,03,45,344"); or hexadecimal digits after "0x".
std::optional<uint64_t> parse_number(std::string_view text);
// Does the same for the number of a process or a thread.
std::optional<uint32_t> parse_id(std::string_view text);

}  // namespace seekless
