// The emulated disk as a folder of three files, served through FUSE until it is unmounted:
//   disk     as large as the disk: reads take as long as the model says, writes and holes no time
//   stats    its counters, as JSON control  takes orders (see orders.h), one line a write
#pragma once

#include <cstdint>
#include <string>

#include "integration/hdd/head.h"
#include "packer/base/error.h"
#include "packer/drive/profile.h"

namespace seekless::hdd {

struct DiskSettings {
  DriveProfile profile;
  std::string folder;  // the folder to mount on
  int image = -1;      // holds the disk's content; open for reading and writing
  uint64_t size_bytes = 0;
  double scale = 1;
  uint32_t queue_depth = 1;
  bool counts_idle = false;  // same as in HeadSettings
  // Log of all reads, as a table that `seekless drive fit` takes; empty for none.
  std::string requests_file = {};
};

// Returns when the folder is unmounted, or at SIGTERM, SIGINT, SIGHUP.
Result<void> serve_disk(const DiskSettings& settings);

}  // namespace seekless::hdd
