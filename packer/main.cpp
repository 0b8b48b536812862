// The command-line tool: prepares the process, and runs what its command line asks for.
#include <string>
#include <utility>
#include <vector>

#include "packer/command/command_line.h"
#include "packer/host/faults.h"
#include "packer/host/freed_memory.h"
#include "packer/host/standard_streams.h"
#include "packer/host/terminal.h"
#include "packer/host/uncaught.h"

namespace {

// After a double click on Windows, opens the window for people who don't type commands. If this
// build has none, the terminal stays open until a key is pressed.
int run_at_double_click(std::vector<char*> words) {
  std::string name = "ui";
  words.push_back(name.data());
  const int code = seekless::run_command_line(static_cast<int>(words.size()), words.data());
  if (code == 0) return 0;
  seekless::say(
      "\nseekless is a program for the command prompt. Open one in this folder, and type\n"
      "  seekless games\n"
      "Press a key to close this window.\n");
  seekless::wait_for_key();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  seekless::prepare_process();
  seekless::return_freed_memory();
  seekless::tell_of_uncaught_exceptions();
  seekless::tell_of_faults();
  std::vector<std::string> words = seekless::arguments_of(argc, argv);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  if (pointers.size() == 1 && seekless::has_own_terminal())
    return run_at_double_click(std::move(pointers));
  return seekless::run_command_line(static_cast<int>(pointers.size()), pointers.data());
}
