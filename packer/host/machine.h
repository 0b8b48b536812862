// Describes this machine's system, for traces and profiles. Leaves out the machine's name, because
// traces and profiles are shared.
#pragma once

#include <string>

namespace seekless {

// Returns "Linux 6.1.0-18-amd64 x86_64", "Windows 10.0.19045 x86_64" or the like; empty if unknown.
std::string machine_and_system();

}  // namespace seekless
