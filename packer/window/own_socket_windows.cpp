#include <winsock2.h>

#include "packer/window/internal/own_socket.h"

namespace seekless {

void ignore_broken_connections() {}

void listen_alone(int socket, int most_waiting) {
  ::listen(static_cast<SOCKET>(socket), most_waiting);
}

}  // namespace seekless
