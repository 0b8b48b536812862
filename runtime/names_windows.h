// Words between us and Windows: outside of the calls, text is UTF-8; inside, UTF-16.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seekless::runtime {

// None if it isn't UTF-8.
std::optional<std::wstring> to_wide(std::string_view text);
// What isn't UTF-16 becomes U+FFFD.
std::string to_utf8(std::wstring_view text);

// A path as the calls take it: of any length, though without the \\?\ in front only 259 characters
// are allowed. None if it isn't UTF-8, or holds a NUL, which would end it early.
std::optional<std::wstring> to_wide_path(std::string_view path);

// Whether GetLastError() says that nothing is there, or could be by that name.
bool is_nowhere(uint32_t os_error);
// GetLastError(), as our errors carry it.
int last_error();
// What GetLastError() stands for, without a full stop at its end.
std::string text_of_error(uint32_t os_error);

}  // namespace seekless::runtime
