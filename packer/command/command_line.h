// Runs the tool. main calls it and gets an exit code, with the answers on the standard streams.
// Another program (the Python package) calls it as a function and gets the answers as values.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/command/internal/answer.h"

namespace seekless {

// Registers the commands, runs the one asked for, and turns its result into an exit code: 0 done, 1
// failed, 2 wrong usage, 3 input damaged. It prints errors on standard error.
int run_command_line(int argc, char** argv);

struct Answered {
  Result<void> done;
  Answer answer;  // also set after an error: `verify` lists the damage that it found
};

// Runs one command and returns its answer. `words` are the command and its options: "verify",
// "packs". JSON is returned without --json. Only a command that answers with bytes (`extract -o -`)
// writes to the standard streams. Any thread can call this, but only one command runs at a time in
// a process. Throws nothing.
Answered run_command(const std::vector<std::string>& words);

}  // namespace seekless
