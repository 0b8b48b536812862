// Takes apart one line of fatrace's output, text or JSON (--json), for fatrace.cpp.
#pragma once

#include <string_view>

#include "packer/trace/internal/accesses.h"

namespace seekless {

// Returns false if `text` is no such line; `line` is then undefined.
bool split_fatrace_line(std::string_view text, AccessLine& line);

}  // namespace seekless
