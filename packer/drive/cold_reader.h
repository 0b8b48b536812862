// Simulates a program that makes one read after another, with nothing in memory at its start, on
// the system's page cache and a drive. It can start over any number of times. Planner and simulator
// call this "demand". Takes reads; counts the drive's work.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/drive/drive.h"
#include "packer/drive/page_cache.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

class ColdReader {
 public:
  // The files have these sizes. They lie one after another, each starting at a page, and the drive
  // has room for all of them.
  ColdReader(DriveProfile profile, const std::vector<uint64_t>& file_bytes,
             const ReadAhead& read_ahead, Drive::Turn turn);
  ColdReader(const ColdReader&) = delete;
  ColdReader& operator=(const ColdReader&) = delete;

  // Begins a load: nothing is in memory, no file is open, and the head is far away.
  void begin();
  void read(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes) {
    touched_.push_back(file);
    for (const DriveRead& miss : cache_.misses(open_[file], offset_bytes, length_bytes))
      drive_.read(miss.position_bytes, miss.length_bytes);
  }
  const Drive::Counters& counters() const { return drive_.counters(); }

 private:
  const Drive away_;
  Drive drive_;
  PageCache cache_;
  std::vector<CachedFile> open_;
  std::vector<uint32_t> touched_;  // files read since the load began
};

}  // namespace seekless
