// Computes how long runs take to read an archive's entries in a given order. They read as engines
// do: one entry after the other, through the system's page cache and read-ahead. Orders are judged
// by this time. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "packer/drive/drive.h"
#include "packer/drive/read_ahead.h"
#include "packer/entries/archive_reads.h"
#include "packer/entries/data_alignment.h"

namespace seekless {

class ReadTime {
 public:
  // `reads` must outlive it.
  ReadTime(const DriveProfile& profile, const ArchiveReads& reads, const DataAlignment& alignment);

  // Returns the weighted sum of the seconds of all runs. `order` holds every entry once. The result
  // is the mean of two ways to read: some engines open the archive anew for each entry (PhysFS),
  // which restarts read-ahead; some keep it open (id Tech 3). A jump costs its average over all
  // angles of the platter, so that no order is better by luck. If the sum gets above `most_s`, the
  // result is only some number above that.
  double weighted_seconds(std::span<const uint32_t> order,
                          double most_s = std::numeric_limits<double>::infinity());

 private:
  void lay(std::span<const uint32_t> order);
  double run_ms(std::span<const uint32_t> entries, bool keeps_open, double most_ms);
  double fetch_ms(uint64_t position_bytes, uint64_t length_bytes);

  const ArchiveReads& reads_;
  const DataAlignment alignment_;
  Drive drive_;
  const uint64_t break_even_bytes_;
  const double away_ms_;
  std::vector<uint64_t> header_at_;  // indexed by entry
  std::vector<uint64_t> data_at_;
  uint64_t size_bytes_ = 0;
  uint64_t head_bytes_ = 0;
  bool is_away_ = true;
};

}  // namespace seekless
