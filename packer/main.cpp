// The command-line tool: prepares the process, and runs what its command line asks for.
#include "packer/command/command_line.h"
#include "packer/host/freed_memory.h"
#include "packer/host/out_of_memory.h"
#include "packer/host/standard_streams.h"

int main(int argc, char** argv) {
  seekless::prepare_process();
  seekless::return_freed_memory();
  seekless::end_tidily_without_memory();
  return seekless::run_command_line(argc, argv);
}
