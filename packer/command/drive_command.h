// What the files of the command 'drive' share.
#pragma once

#include "packer/command/command.h"

namespace seekless {

void add_calibrate(CLI::App& drive, Action& chosen);

}  // namespace seekless
