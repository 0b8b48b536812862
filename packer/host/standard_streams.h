// Prepares the process, and prints messages during its work, so that neither a closed stream nor a
// full disk can end it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Call this first. If a standard stream is closed at the start, the next opened file would take its
// number, and messages would be written into that file. So a closed stream is replaced by one on
// which every read and write fails. A file that exceeds its size limit becomes an error of the
// write instead of ending the process.
void prepare_process() noexcept;

// Returns main()'s arguments as UTF-8, the program's own name first.
std::vector<std::string> arguments_of(int count, char** arguments);

// Writes to standard error. Failures are ignored, because there is nowhere to report them.
void say(std::string_view text) noexcept;

}  // namespace seekless
