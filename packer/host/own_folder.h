// Makes and checks folders that only this user can write to, for what is remembered from run to
// run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Returns true if the folder is this user's: data that the user trusts isn't kept in another user's
// folder.
bool is_own_folder(const std::string& path);
// Returns the folder in which this user's seekless keeps its state; it may not exist yet. Empty if
// there is no place for it.
std::string state_folder();
// Returns the folder that holds all that a command remembers: `place`, or the command's own folder
// in state_folder() if `place` is empty. It may not exist yet. Fails if there is no home.
Result<std::string> state_place(const std::string& command, const std::string& place);
// Returns the path in state_place() at which a command keeps what it remembers of a game's folder,
// a canonical path. Folders of one name get different paths. Creates the parent folders.
Result<std::string> state_path(const std::string& command, const std::string& place,
                               const std::string& folder);
// Returns only the last component of that path.
std::string state_name(const std::string& folder);

// Makes the folder, and missing ones above it. Only this user gets rights to them, whatever the
// umask.
Result<void> make_own_folders(const std::string& path);
// Data that is read again and trusted must not be in a place that others can write to or redirect.
// Fails unless `path` is a folder, not a link, that belongs to this user and that nobody else may
// write to.
Result<void> check_own_folder(const std::string& path);
// Checks a folder that holds such folders: it may also be root's, or one like /tmp, where all may
// write, but only to their own files.
Result<void> check_holding_folder(const std::string& path);
// Removes others' rights to a folder of this user.
void close_to_others(const std::string& folder);

// Opens a file for reading. Fails unless it is a file, not a link, that belongs to this user and
// that nobody else may write to.
Result<Descriptor> open_own_file(const std::string& path);
// Reads such a file whole; more than `limit_bytes` is an error.
Result<std::string> read_own_text(const std::string& path, uint64_t limit_bytes);
// Writes such a file whole or not at all, for this user alone, whatever was there before.
Result<void> write_own_text(const std::string& path, std::string_view text);

// Returns the user's home folder, canonical; empty if there is none.
std::string home_folder();
// Appends to a file in one call, so that two processes that do so at once don't mix their lines.
// Creates the file for this user alone. Errors are ignored.
void append_text(const std::string& path, const std::string& text);

}  // namespace seekless
