// The option that names a drive: a built-in profile or a file of the user's.
#pragma once

#include <string>

#include "packer/command/command.h"
#include "packer/drive/profile.h"

namespace seekless {

void add_drive_option(CLI::App& command, std::string& drive);

// A name that ends in ".json" is a file as in schemas/drive.schema.json.
Result<DriveProfile> get_drive(const std::string& name);

}  // namespace seekless
