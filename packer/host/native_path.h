// Paths between the packer, where they are UTF-8 with slashes, and the standard library's functions
// of files, which take what the operating system takes.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace seekless {

// For functions that open it: on Windows it may have any length.
std::filesystem::path to_native(const std::string& path);
// For taking it apart.
std::filesystem::path path_of_text(const std::string& path);
std::string from_native(const std::filesystem::path& path);
// Whether files have names as on Windows: of no two that differ only in case, and not of all
// characters (windows_names.h); and whether people write paths with backslashes.
bool has_windows_names();
// As errno has it.
int os_error_of(const std::error_code& error);

}  // namespace seekless
