// What the system says of paths: the packer's are UTF-8 with slashes, and of any length. Errors are
// those of errno.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace seekless {

// For taking a path apart, and putting it together again.
std::filesystem::path path_of_text(const std::string& path);
std::string text_of_path(const std::filesystem::path& path);

// Of what links lead to; `not_found` isn't an error, unless the system says more.
std::filesystem::file_type type_of(const std::string& path, std::error_code& error);
bool is_link_itself(const std::string& path, std::error_code& error);
// Absolute, without links, "." and "..".
std::string real_path(const std::string& path, std::error_code& error);
// The same, as far as the path exists.
std::string real_path_so_far(const std::string& path, std::error_code& error);
// And all that it lies in.
void make_all_folders(const std::string& path, std::error_code& error);

// Whether files have names as on Windows: of no two that differ only in case, and not of all
// characters (windows_names.h); and whether people write paths with backslashes.
bool has_windows_names();

}  // namespace seekless
