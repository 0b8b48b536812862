// Decides how much to read around a page that wasn't foreseen. Games jump back and forth between
// nearby pieces, and a disk reads half a megabyte in a third of the time of a seek. Whether this
// pays for a game is found out while it reads: first by fetching a few small windows, then by
// counting what windows would have saved. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "packer/drive/sweep.h"

namespace seekless {

class ReadAround {
 public:
  // `window_bytes` is the amount to read at once; 0 turns it off.
  explicit ReadAround(uint64_t window_bytes);

  // Notes a read. Returns true if it isn't near the file's last read, and no window had fetched it.
  // Reading around it may then pay, unless it is in memory.
  bool jumps(const WantedRange& read);
  // Returns the range to fetch with a read that jumps and isn't in memory: half a window on either
  // side, in whole pages. Returns nothing while such windows don't pay.
  std::optional<WantedRange> window_around(const WantedRange& read, uint64_t file_bytes);

  uint64_t fetched_bytes() const { return fetched_bytes_; }

 private:
  std::vector<uint64_t> new_blocks(const WantedRange& window) const;

  uint64_t window_bytes_;
  bool pays_ = false;  // false: windows are only counted, not fetched
  // Counts the seeks that windows have saved, without those that they took.
  double saved_seeks_ = 0;
  uint64_t fetched_bytes_ = 0;
  std::unordered_map<uint32_t, uint64_t> ends_;  // end of each file's last read
  // The first set holds blocks that the game has read, the second set blocks that only windows
  // brought, or would have.
  std::unordered_set<uint64_t> read_;
  std::unordered_set<uint64_t> unread_;
};

}  // namespace seekless
