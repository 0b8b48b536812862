#include <initializer_list>

#include <sys/ioctl.h>
#include <unistd.h>

#include "packer/host/terminal.h"

namespace seekless {

bool is_terminal(StandardStream stream) {
  switch (stream) {
    case StandardStream::input:
      return ::isatty(STDIN_FILENO) == 1;
    case StandardStream::output:
      return ::isatty(STDOUT_FILENO) == 1;
    case StandardStream::error:
      return ::isatty(STDERR_FILENO) == 1;
  }
  return false;
}

size_t terminal_width() {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    winsize size = {};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kFewestColumns)
      return size.ws_col;
  }
  return kDefaultColumns;
}

bool has_own_terminal() {
  return false;
}

void wait_for_key() {}

}  // namespace seekless
