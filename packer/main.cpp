// The command-line tool: prepares the process, and runs what its command line asks for.
#include <string>
#include <vector>

#include "packer/command/command_line.h"
#include "packer/host/faults.h"
#include "packer/host/freed_memory.h"
#include "packer/host/standard_streams.h"
#include "packer/host/uncaught.h"

int main(int argc, char** argv) {
  seekless::prepare_process();
  seekless::return_freed_memory();
  seekless::tell_of_uncaught_exceptions();
  seekless::tell_of_faults();
  std::vector<std::string> words = seekless::arguments_of(argc, argv);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return seekless::run_command_line(static_cast<int>(pointers.size()), pointers.data());
}
