// Declares functions shared by the sources of the command 'drive'.
#pragma once

#include "packer/command/internal/command.h"

namespace seekless {

void add_calibrate(const Command& drive);
void add_check(const Command& drive);
void add_fit(const Command& drive);

}  // namespace seekless
