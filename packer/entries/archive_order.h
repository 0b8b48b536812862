// Finds the order of one archive's entries. It makes several candidates and judges them by the time
// of the recorded runs. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/drive/profile.h"
#include "packer/entries/archive_reads.h"
#include "packer/entries/data_alignment.h"

namespace seekless {

struct ArchiveOrderOptions {
  DriveProfile drive;
  DataAlignment alignment = {};
};

// Returns each index in `reads.entries` once.
std::vector<uint32_t> order_archive(const ArchiveReads& reads, const ArchiveOrderOptions& options);

}  // namespace seekless
