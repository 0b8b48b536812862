// Declares the options of commands that simulate: the drives, the files' positions, and the
// operating system's read-ahead.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/drive/profile.h"
#include "packer/simulate/disk_map.h"
#include "packer/simulate/simulated.h"

namespace seekless {

// Adds --drive, without the other options, to a command that simulates one drive. The help shows
// `if_none` as the default.
void add_drive_option(const Command& command, std::string& drive,
                      const std::string& if_none = kTargetDrive);

struct DriveOptions {
  std::string drive;  // the drive, if there can be only one; empty: the target
  std::vector<std::string> drives;
  std::vector<std::string> places;
  std::string read_ahead = "linux";
  uint32_t queue_depth = 1;

  // If `many` is true, --drive may be given several times.
  void add_to(const Command& command, bool many, const std::string& if_none = kTargetDrive);

  // Returns the drives that the command line names.
  std::vector<std::string> named() const;
  Result<std::vector<DriveProfile>> profiles() const;
  Result<std::vector<PlaceRule>> place_rules() const;
  Result<SimulationOptions> simulation() const;
};

}  // namespace seekless
