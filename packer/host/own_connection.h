// Tells whose program is at the other end of a connection within this machine.
#pragma once

namespace seekless {

// Returns true if a connection over IPv4's loopback, from `peer_port` to `own_port`, was made by a
// program of this user, or if the system doesn't report the user.
bool is_own_connection(int peer_port, int own_port);

}  // namespace seekless
