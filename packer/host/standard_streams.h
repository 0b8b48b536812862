// What a process needs before its work, and how it speaks to people while that goes on: in a way
// that no closed stream and no full disk can end it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Call it first. If a standard stream was closed by whoever started the process, the next file to
// be opened would be it, and messages would be written into that file. Such a stream becomes one
// that fails whoever uses it, as a closed one does. And a file that may grow no more is then an
// error of writing it, instead of the process's end.
void prepare_process() noexcept;

// What main() was given, as UTF-8, the program's own name first.
std::vector<std::string> arguments_of(int count, char** arguments);

// Writes to standard error. What can't be written is lost; nobody could be told.
void say(std::string_view text) noexcept;

}  // namespace seekless
