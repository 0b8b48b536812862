// Counts paths that the operating system failed to examine (a failing disk, no memory). Code that
// only asks whether a path exists then continues as if it didn't. So at its end, the program says
// that its result may be incomplete. Any thread may use this.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// Notes a path with its error. Files that don't exist, or that this user may not see, aren't
// counted.
void note_unseen(const std::string& path, int os_error);
// Returns an error that names the first such path, because an answer from incomplete input may be
// wrong.
Result<void> check_unseen();
// Forgets the notes of an earlier command, in programs that run several commands in one process.
void forget_unseen();

}  // namespace seekless
