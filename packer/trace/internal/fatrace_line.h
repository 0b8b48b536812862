// One line of what fatrace prints, as text or as JSON (--json), taken apart for fatrace.cpp.
#pragma once

#include <string_view>

#include "packer/trace/internal/accesses.h"

namespace seekless {

// False if `text` is no such line; `line` is then anything.
bool split_fatrace_line(std::string_view text, AccessLine& line);

}  // namespace seekless
