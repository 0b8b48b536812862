// Runs the tool: from main, with its answers on the standard streams and an exit code; or as a
// function of another program, which takes the answers as values (the Python package).
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/command/internal/answer.h"

namespace seekless {

// Registers the commands, runs the one asked for, and turns what comes back into an exit code:
// 0 done, 1 failed, 2 wrong usage, 3 input damaged. Says on standard error what went wrong.
int run_command_line(int argc, char** argv);

struct Answered {
  Result<void> done;
  Answer answer;  // what there was before an error, too: `verify` lists the damages it found
};

// The same for one command, whose options are `words`: "verify", "packs". Nothing goes to the
// standard streams but what a command writes that answers with bytes (`extract -o -`). JSON is
// taken without --json. One at a time in a process, from any thread; throws nothing.
Answered run_command(const std::vector<std::string>& words);

}  // namespace seekless
