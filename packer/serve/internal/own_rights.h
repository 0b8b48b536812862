// Whether a program has other rights than whoever starts it, which the system doesn't give it in a
// user name space: of the group that a game's scores belong to, say.
#pragma once

#include <string>

#include "packer/base/error.h"

namespace seekless {

// `program` is the first word of a command, looked for as execvp() does. The error says which
// rights it would lose. What isn't there or can't be looked at is no error: starting it tells.
Result<void> check_keeps_rights(const std::string& program);

}  // namespace seekless
