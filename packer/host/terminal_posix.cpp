#include <initializer_list>

#include <sys/ioctl.h>
#include <unistd.h>

#include "packer/host/terminal.h"

namespace seekless {

bool is_terminal(StandardStream stream) {
  return ::isatty(stream == StandardStream::output ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

size_t terminal_width() {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    winsize size = {};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kFewestColumns)
      return size.ws_col;
  }
  return kDefaultColumns;
}

}  // namespace seekless
