// Counts paths about which the operating system failed to tell anything (a failing disk, no
// memory). Code that only asks whether something exists goes on as if it didn't; so the program
// says at its end that its result may be incomplete. Any thread may use this.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// Files that don't exist, or that this user may not see, aren't counted.
void note_unseen(const std::string& path, int os_error);
// Returns an error that names the first such path, if there is one, because an answer from
// incomplete input may be wrong.
Result<void> check_unseen();
// Forgets what an earlier command noted, for programs that run several commands in one process.
void forget_unseen();

}  // namespace seekless
