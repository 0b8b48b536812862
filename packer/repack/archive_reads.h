// What recordings read of each archive, and where they turn to another one in between: from a
// profile to the problem whose answer is an order of entries. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/profile/profile.h"
#include "packer/repack/internal/storing.h"

namespace seekless {

// In ArchiveRun::entries: here the load reads another archive or file.
inline constexpr uint32_t kElsewhere = UINT32_MAX;

struct ReadEntry {
  uint32_t number = 0;            // in the central directory; of entries to be put together: among
                                  // those given
  uint64_t old_offset_bytes = 0;  // of its local header
  uint64_t header_bytes = 0;
  uint64_t data_bytes = 0;        // as they are to lie
  bool is_stored = true;          // likewise
  std::vector<uint32_t> readers;  // scenarios of the profile, rising
};

struct ArchiveRun {
  uint32_t scenario = 0;
  double weight = 0;              // the scenario's, shared among its runs
  std::vector<uint32_t> entries;  // indices in ArchiveReads::entries as first read, or kElsewhere
};

struct ArchiveReads {
  std::vector<ReadEntry> entries;  // by old offset
  std::vector<ArchiveRun> runs;    // that read something here
};

// By source of the content; empty for what is no archive, and for archives that nobody reads.
// Weights: by scenario, 1 for those not named. `storing` says how data will lie.
std::vector<ArchiveReads> archive_reads(const Profile& profile, const Content& content,
                                        const std::map<std::string, double>& weights,
                                        const Storing& storing);

// Of assets of several archives that are to lie in one: `assets` (numbers in the content) in the
// order that is to be the old one. All else is elsewhere.
ArchiveReads reads_of_assets(const Profile& profile, const Content& content,
                             const std::map<std::string, double>& weights, const Storing& storing,
                             std::span<const uint32_t> assets);

}  // namespace seekless
