// Describes this machine.
#pragma once

#include <cstdint>
#include <string>

namespace seekless {

// Returns "Linux 6.1.0-18-amd64 x86_64", "Windows 10.0.19045 x86_64" or the like; empty if unknown.
// Leaves out the machine's name, because traces and profiles, which have this, are shared.
std::string machine_and_system();

// Returns how much memory there is: the machine's, or what this process's control groups allow, if
// that is less. Returns 0 if the system doesn't tell.
uint64_t memory_bytes();
// Returns how much of the machine's memory programs could still take; 0 if the system doesn't tell.
uint64_t available_memory_bytes();

}  // namespace seekless
