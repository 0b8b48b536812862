// What this machine runs, for traces and profiles; without its name, as those are passed on.
#pragma once

#include <string>

namespace seekless {

// "Linux 6.1.0-18-amd64 x86_64", "Windows 10.0.19045 x86_64"; empty if it can't be told.
std::string machine_and_system();

}  // namespace seekless
