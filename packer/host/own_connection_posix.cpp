#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "packer/host/own_connection.h"

namespace seekless {

// Reads the kernel's tables of connections, as proc(5) describes them. A connection through an IPv6
// socket is in the other table; its address ends in the same digits.
bool is_own_connection(int peer_port, int own_port) {
  const std::string peer = fmt::format("0100007F:{:04X}", peer_port);
  const std::string own = fmt::format("0100007F:{:04X}", own_port);
  bool has_table = false;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    has_table = has_table || lines.is_open();
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string number, local, remote, state, queues, timer, retries;
      uint64_t user = 0;
      if (fields >> number >> local >> remote >> state >> queues >> timer >> retries >> user &&
          local.ends_with(peer) && remote.ends_with(own))
        return user == ::geteuid();
    }
  }
  return !has_table;
}

}  // namespace seekless
