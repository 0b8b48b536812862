// Asks the system about paths. The packer's paths are UTF-8 with slashes, and of any length. Errors
// are those of errno.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace seekless {

// Converts a path, to take it apart and put it together again.
std::filesystem::path path_of_text(const std::string& path);
std::string text_of_path(const std::filesystem::path& path);

// Returns the type of what links lead to; `not_found` isn't an error, unless the system says more.
std::filesystem::file_type type_of(const std::string& path, std::error_code& error);
bool is_link_itself(const std::string& path, std::error_code& error);
// Returns the absolute path, without links, "." and "..".
std::string real_path(const std::string& path, std::error_code& error);
// Does the same, as far as the path exists.
std::string real_path_so_far(const std::string& path, std::error_code& error);
// Makes the folder, and all folders above it.
void make_all_folders(const std::string& path, std::error_code& error);

// Returns true if files are named as on Windows: names that differ only in case are the same, some
// characters aren't allowed (windows_names.h), and people write paths with backslashes.
bool has_windows_names();

}  // namespace seekless
