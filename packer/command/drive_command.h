// What the files of the command 'drive' share.
#pragma once

#include <string>

#include "packer/command/command.h"
#include "packer/drive/profile.h"

namespace seekless {

// The profile in words, and what follows from it: several lines, the last without its end.
std::string describe_profile(const DriveProfile& profile);

void add_calibrate(CLI::App& drive, Action& chosen);

}  // namespace seekless
