// Extracts from a profile the reads of each archive, and where runs switch to another archive in
// between. The result is a problem whose solution is an order of entries. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/entries/storing.h"
#include "packer/profile/profile.h"

namespace seekless {

// Marks, in ArchiveRun::entries, that the run reads another archive or file here.
inline constexpr uint32_t kElsewhere = UINT32_MAX;

struct ReadEntry {
  // Number in the central directory; for reads_of_assets(), index in its `assets`.
  uint32_t number = 0;
  uint64_t old_offset_bytes = 0;  // offset of its local header
  uint64_t header_bytes = 0;
  uint64_t data_bytes = 0;        // size of the data in the new archive
  bool is_stored = true;          // true if stored in the new archive
  std::vector<uint32_t> readers;  // scenarios of the profile, ascending
};

struct ArchiveRun {
  uint32_t scenario = 0;
  double weight = 0;  // the scenario's weight, divided among its runs
  // Indices in ArchiveReads::entries in the order first read, or kElsewhere.
  std::vector<uint32_t> entries;
};

struct ArchiveReads {
  std::vector<ReadEntry> entries;  // sorted by old offset
  std::vector<ArchiveRun> runs;    // runs that read something in this archive
};

// Returns the reads of each source of the content; empty for loose files and for archives that
// nobody reads. `weights` is indexed by scenario; missing ones are 1. `storing` tells which data
// will be stored.
std::vector<ArchiveReads> archive_reads(const Profile& profile, const Content& content,
                                        const std::map<std::string, double>& weights,
                                        const Storing& storing);

// Returns the reads of assets that lie in several archives and will lie in one. `assets` are
// numbers in the content; their order counts as the old order. All other reads count as elsewhere.
ArchiveReads reads_of_assets(const Profile& profile, const Content& content,
                             const std::map<std::string, double>& weights, const Storing& storing,
                             std::span<const uint32_t> assets);

}  // namespace seekless
