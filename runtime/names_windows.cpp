#include "runtime/names_windows.h"

#include <windows.h>

namespace seekless::runtime {
namespace {

// Longer paths need the prefix \\?\. A folder's path must leave room for an 8.3 name (MAX_PATH).
constexpr size_t kShortPath = MAX_PATH - 12;

// Returns the path with drive or server, with "." and ".." resolved, and with backslashes.
std::wstring full_path(const std::wstring& path) {
  std::wstring full(path.size() + MAX_PATH, L'\0');
  for (;;) {
    const DWORD length =
        ::GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
    if (length == 0) return path;  // opening the path will say why
    const bool is_whole = length < full.size();
    full.resize(length);
    if (is_whole) return full;
  }
}

}  // namespace

std::optional<std::wstring> to_wide(std::string_view text) {
  if (text.empty()) return std::wstring();
  const auto bytes = static_cast<int>(text.size());
  std::wstring wide(text.size(), L'\0');  // no character takes more units in UTF-16 than in UTF-8
  const int length = ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), bytes,
                                           wide.data(), static_cast<int>(wide.size()));
  if (length == 0) return std::nullopt;
  wide.resize(static_cast<size_t>(length));
  return wide;
}

std::string to_utf8(std::wstring_view text) {
  constexpr size_t kMostBytes = 3;  // UTF-8 bytes of one UTF-16 unit
  std::string narrow(text.size() * kMostBytes, '\0');
  const int length =
      ::WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), narrow.data(),
                            static_cast<int>(narrow.size()), nullptr, nullptr);
  narrow.resize(static_cast<size_t>(length));
  return narrow;
}

std::optional<std::wstring> to_wide_path(std::string_view path) {
  if (path.find('\0') != std::string_view::npos) return std::nullopt;
  auto wide = to_wide(path);
  if (!wide || wide->starts_with(LR"(\\?\)")) return wide;
  // For a relative path, the limit applies to its full path.
  std::wstring full = full_path(*wide);
  if (full.size() < kShortPath || full.starts_with(LR"(\\.\)")) return wide;
  if (full.starts_with(LR"(\\)")) return LR"(\\?\UNC)" + full.substr(1);
  return LR"(\\?\)" + full;
}

bool is_nowhere(uint32_t os_error) {
  switch (os_error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_INVALID_DRIVE:
      return true;
    default:
      return false;
  }
}

int last_error() {
  return static_cast<int>(::GetLastError());
}

std::string text_of_error(uint32_t os_error) {
  constexpr DWORD kHow = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS |
                         FORMAT_MESSAGE_MAX_WIDTH_MASK;  // writes the message in one line
  wchar_t words[512];
  const DWORD length = ::FormatMessageW(kHow, nullptr, os_error, 0, words, 512, nullptr);
  std::string text = to_utf8({words, length});
  while (text.ends_with(' ') || text.ends_with('.')) text.pop_back();
  return text.empty() ? "error " + std::to_string(os_error) : text;
}

}  // namespace seekless::runtime
