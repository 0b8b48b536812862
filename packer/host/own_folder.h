// Folders that are this user's alone, for what is remembered from run to run.
#pragma once

#include <string>

namespace seekless {

// What this user trusts isn't kept in another user's folder.
bool is_own_folder(const std::string& path);
// To the end of a file, in one call, so that two processes that do it at once don't mix their
// lines. Makes a file that is this user's alone; what can't be written isn't.
void append_text(const std::string& path, const std::string& text);

}  // namespace seekless
