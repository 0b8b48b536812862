// How long runs take to read an archive's entries in a given order, as engines read them: asked for
// one by one, below the system's page cache and read-ahead. What orders are judged by. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/drive/drive.h"
#include "packer/drive/read_ahead.h"
#include "packer/repack/archive_reads.h"
#include "packer/repack/internal/data_alignment.h"

namespace seekless {

class ReadTime {
 public:
  // `reads` must outlive it.
  ReadTime(const DriveProfile& profile, const ArchiveReads& reads, const DataAlignment& alignment);

  // Of all runs, each times its weight. `order`: every entry once. Some engines open the archive
  // anew for each entry (PhysFS), with which read-ahead starts over; some keep it open (id Tech 3).
  // The mean of both counts. Where the platter stands plays no part: a jump costs what it does on
  // average, so that no order is better by luck.
  double weighted_seconds(std::span<const uint32_t> order);

 private:
  void lay(std::span<const uint32_t> order);
  double run_ms(std::span<const uint32_t> entries, bool keeps_open);
  double fetch_ms(uint64_t position_bytes, uint64_t length_bytes);

  const ArchiveReads& reads_;
  const DataAlignment alignment_;
  Drive drive_;
  const uint64_t break_even_bytes_;
  const double away_ms_;
  std::vector<uint64_t> header_at_;  // by entry
  std::vector<uint64_t> data_at_;
  uint64_t size_bytes_ = 0;
  uint64_t head_bytes_ = 0;
  bool is_away_ = true;
};

}  // namespace seekless
