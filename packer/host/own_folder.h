// Makes and checks folders that only this user can write to. They hold what commands remember from
// run to run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Returns true if the folder belongs to this user. Data that the user trusts isn't kept in another
// user's folder.
bool is_own_folder(const std::string& path);
// Returns the folder in which this user's seekless keeps its state; it may not exist yet. Empty if
// there is no place for it.
std::string state_folder();
// Returns the folder that holds everything a command remembers: `place`, or the command's own
// folder in state_folder() if `place` is empty. It may not exist yet. Fails if there is no home.
Result<std::string> state_place(const std::string& command, const std::string& place);
// Returns the path in state_place() at which a command keeps its state of a game's folder, which is
// given as a canonical path. Folders with the same name get different paths. Creates the parent
// folders.
Result<std::string> state_path(const std::string& command, const std::string& place,
                               const std::string& folder);
// Returns only the last component of that path.
std::string state_name(const std::string& folder);

// Makes the folder and missing ones above it. Only this user gets rights to them, whatever the
// umask.
Result<void> make_own_folders(const std::string& path);
// Fails unless `path` is a folder, not a link, that belongs to this user and that nobody else may
// write to. Data that is read again and trusted must not lie where others can write or redirect.
Result<void> check_own_folder(const std::string& path);
// Checks a folder that holds such folders. It may also belong to root, or be like /tmp, where
// everyone may write only to their own files.
Result<void> check_holding_folder(const std::string& path);
// Removes others' rights to a folder of this user.
void close_to_others(const std::string& folder);

// Opens a file for reading. Fails unless it is a file, not a link, that belongs to this user and
// that nobody else may write to.
Result<Descriptor> open_own_file(const std::string& path);
// Reads a whole file that is this user's own; it is an error if it has more than `limit_bytes`.
Result<std::string> read_own_text(const std::string& path, uint64_t limit_bytes);
// Writes a private file whole or not at all, whatever was there before.
Result<void> write_own_text(const std::string& path, std::string_view text, bool durable = true);

// Returns the user's home folder, canonical; empty if there is none.
std::string home_folder();
// Returns the absolute path that a variable of the environment holds, with slashes; empty if there
// is none.
std::string folder_of_environment(const std::string& variable);
// Appends to a file in one call, so that two processes that do so at once don't mix their lines.
// Creates the file as private to this user. Ignores errors.
void append_text(const std::string& path, const std::string& text);

}  // namespace seekless
