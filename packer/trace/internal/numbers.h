// Parses numbers as tools write them into fields. The number must fill its whole field, so a part
// of a longer text is never taken for a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace seekless {

// Takes digits, and nothing else.
std::optional<uint64_t> parse_whole_number(std::string_view text);

// Parses a column's number, with spaces around it. It may be plain digits; digits with thousands
// separators of any locale and code page, in groups of three ("100,345,344") or as in India
// ("10,03,45,344"); or hexadecimal digits after "0x".
std::optional<uint64_t> parse_number(std::string_view text);
// Parses the number of a process or a thread in the same way.
std::optional<uint32_t> parse_id(std::string_view text);

}  // namespace seekless
