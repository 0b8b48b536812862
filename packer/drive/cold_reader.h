// A program that reads files one read after the other, with nothing in memory: the system's page
// cache and a drive together, begun anew as often as wanted. What planner and simulator mean by
// demand. Takes reads, gives what the drive did.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/drive/drive.h"
#include "packer/drive/page_cache.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

class ColdReader {
 public:
  // Files of so many bytes together lie one after the other, each from a page on. The drive is as
  // large as they are, if its profile's isn't.
  ColdReader(DriveProfile profile, const std::vector<uint64_t>& file_bytes,
             const ReadAhead& read_ahead, Drive::Turn turn);
  ColdReader(const ColdReader&) = delete;
  ColdReader& operator=(const ColdReader&) = delete;

  // A load begins: nothing is in memory, no file was read, and the head is away.
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
  std::vector<uint32_t> touched_;  // files that were read since the load began
};

}  // namespace seekless
