// Converts strings for Windows calls, which take UTF-16; everywhere else, text is UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seekless::runtime {

// Returns none if it isn't UTF-8.
std::optional<std::wstring> to_wide(std::string_view text);
// Parts that aren't UTF-16 become U+FFFD.
std::string to_utf8(std::wstring_view text);

// Converts a path of any length for Windows' calls. Long paths get the prefix \\?\, because without
// it only 259 characters are allowed. Returns none if the path isn't UTF-8, or contains a NUL,
// which would end it early.
std::optional<std::wstring> to_wide_path(std::string_view path);

// Returns true if GetLastError() says that no such file exists, or that the name is invalid.
bool is_nowhere(uint32_t os_error);
// Returns GetLastError() as an Error stores it.
int last_error();
// Returns the system's text for an error, without a full stop at its end.
std::string text_of_error(uint32_t os_error);

}  // namespace seekless::runtime
