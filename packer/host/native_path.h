// Asks the system about paths. The packer's paths are UTF-8 with slashes, and of any length. Errors
// are errno values.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "packer/words/shell_words.h"

namespace seekless {

// Converts a path to the library's form, whose parts can be taken apart and joined.
std::filesystem::path path_of_text(const std::string& path);
std::string text_of_path(const std::filesystem::path& path);

// Returns the type of the file that links lead to. A missing file gives `not_found`, which isn't an
// error.
std::filesystem::file_type type_of(const std::string& path, std::error_code& error);
bool is_link_itself(const std::string& path, std::error_code& error);
// Returns the absolute path, with links, "." and ".." resolved.
std::string real_path(const std::string& path, std::error_code& error);
// Does the same for a path whose last components may not exist.
std::string real_path_so_far(const std::string& path, std::error_code& error);
// Makes the folder and all missing folders above it.
void make_all_folders(const std::string& path, std::error_code& error);

// Returns true if files are named as on Windows: names that differ only in case are the same, some
// characters aren't allowed (windows_names.h), and people write paths with backslashes.
bool has_windows_names();

// Returns the quoting rules of this system's shell.
ShellKind shell_kind_here();

}  // namespace seekless
