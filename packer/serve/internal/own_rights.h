// Tells whether a program runs with other rights than the user who starts it, e.g. those of the
// group that a game's scores belong to. The system doesn't grant them in a user name space.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// `program` is the first word of a command, searched as execvp() does. The error names the rights
// that it would lose. A program that is missing or can't be examined is no error here; starting it
// will tell.
Result<void> check_keeps_rights(const std::string& program);

}  // namespace seekless
