#include <csignal>

#include <sys/socket.h>

#include "packer/window/internal/own_socket.h"

namespace seekless {

void ignore_broken_connections() {
  ::signal(SIGPIPE, SIG_IGN);
}

void listen_alone(int socket, int most_waiting) {
  ::listen(socket, most_waiting);
}

}  // namespace seekless
