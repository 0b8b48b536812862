// Does with the window's socket what its HTTP library doesn't, by the system's own calls.
#pragma once

namespace seekless {

// Keeps writing to a browser that has gone away from ending the process.
void ignore_broken_connections();
// Lets so many connections wait to be accepted. Other programs can't take the port then.
void listen_alone(int socket, int most_waiting);

}  // namespace seekless
