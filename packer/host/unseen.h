// Paths that the operating system failed to tell anything of: a disk that fails, no memory. Whoever
// asks only whether something is there goes on as if it weren't; so they are counted here, and the
// program says at its end that what it did may not be all. From any thread.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// What merely isn't there, or isn't ours to see, is not counted.
void note_unseen(const std::string& path, int os_error);
// An error that names the first, if there is one: an answer from less than there is may be wrong.
Result<void> check_unseen();
// For who runs several commands in one process: what was noted before is another one's.
void forget_unseen();

}  // namespace seekless
