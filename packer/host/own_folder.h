// Folders that are this user's alone, for what is remembered from run to run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// What this user trusts isn't kept in another user's folder.
bool is_own_folder(const std::string& path);
// Where this user's seekless keeps what it remembers; it may not be there yet. Empty if there is no
// place.
std::string state_folder();
// What holds all that a command remembers: `place`, or the command's own folder in state_folder()
// if that is empty. It may not be there yet. Error: there is no home.
Result<std::string> state_place(const std::string& command, const std::string& place);
// Where a command keeps what it remembers of a game's folder, which is a canonical path: a name in
// state_place(). Folders of one name are told apart by where they lie. What the name is in is made.
Result<std::string> state_path(const std::string& command, const std::string& place,
                               const std::string& folder);
// The name of that path alone.
std::string state_name(const std::string& folder);

// Makes the folder, and those above it that aren't there. What is made is this user's alone,
// whatever the mask of permissions.
Result<void> make_own_folders(const std::string& path);
// What is read again and trusted mustn't be others' to write, or to lead elsewhere. Fails unless
// `path` is a folder, itself and not by a link, that belongs to this user, and into which nobody
// else may write.
Result<void> check_own_folder(const std::string& path);
// The same for a folder that holds such folders: it may be root's, or one such as /tmp, where all
// may write, but only to what is theirs.
Result<void> check_holding_folder(const std::string& path);
// Takes away what others may do in a folder of this user.
void close_to_others(const std::string& folder);

// Opens a file to read it. Fails unless it is a file, and not a link, that belongs to this user and
// that nobody else may write to.
Result<Descriptor> open_own_file(const std::string& path);
// Reads such a file whole; more than `limit_bytes` is an error.
Result<std::string> read_own_text(const std::string& path, uint64_t limit_bytes);
// Writes one whole or not at all, for this user alone, whatever stood there before.
Result<void> write_own_text(const std::string& path, std::string_view text);

// The user's home folder, canonical; empty if there is none.
std::string home_folder();
// To the end of a file, in one call, so that two processes that do it at once don't mix their
// lines. Makes a file that is this user's alone; what can't be written isn't.
void append_text(const std::string& path, const std::string& text);

}  // namespace seekless
