// Prepares the process, and prints messages while it works. Neither a closed stream nor a full disk
// can then end the process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Call this first. It replaces a closed standard stream by one on which every read and write fails;
// otherwise the next opened file would take the stream's number, and messages would be written into
// it. Writing beyond a file's size limit becomes an error instead of ending the process.
void prepare_process() noexcept;

// From this call on, writing to a pipe that nobody reads fails instead of ending this process.
// Programs that it starts are ended as usual.
void outlive_closed_pipes() noexcept;

// Returns main()'s arguments as UTF-8, the program's own name first.
std::vector<std::string> arguments_of(int count, char** arguments);

// Writes to standard error. Failures are ignored, because there is nowhere to report them.
void say(std::string_view text) noexcept;

}  // namespace seekless
