// Lays out after a run in a separate process: whoever started the game doesn't wait for it, it
// holds none of their descriptors, and everything else comes before it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Starts this program with these words, as a service of the user's systemd if there is one: Steam
// waits for all processes that a game leaves behind. Returns at once.
Result<void> start_laying_out(const std::vector<std::string>& words);

// Makes this process the one that lays out: names it, and lowers its priority.
void be_laying_out();

// Ends this process after that time, successfully, whatever it then waits for. From now on, signals
// that ask it to end do so at once.
void end_after(std::chrono::seconds time);

// Returns the process that lays out the game with this state's folder, if one does.
std::optional<int> laying_out(const std::string& state_folder);
// Asks that process to end.
void stop_laying_out(int process);

}  // namespace seekless
