// Makes system calls for the window's socket that the HTTP library lacks.
#pragma once

namespace seekless {

// Ignores SIGPIPE, so that writing to a browser that has gone away doesn't end the process.
void ignore_broken_connections();
// Listens, with up to `most_waiting` connections that wait to be accepted. Other programs then
// can't take the port.
void listen_alone(int socket, int most_waiting);

}  // namespace seekless
