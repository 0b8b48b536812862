// What is read around a page that nobody foresaw. Games jump to and fro between pieces that lie
// near each other: a disk reads half a megabyte in a third of the time that a seek takes. Whether
// this game does is found out while it reads. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "packer/drive/sweep.h"

namespace seekless {

class ReadAround {
 public:
  // `window_bytes`: that are read at once; 0: never.
  explicit ReadAround(uint64_t window_bytes);

  // Takes note of a read; true if it may be worth reading around, unless it is in memory: it isn't
  // near the file's last one, and no window has brought it.
  bool jumps(const WantedRange& read);
  // What to fetch with a read that jumps, and isn't in memory: half a window on either side, in
  // whole pages; nothing while such windows haven't paid.
  std::optional<WantedRange> window_around(const WantedRange& read, uint64_t file_bytes);

  uint64_t fetched_bytes() const { return fetched_bytes_; }

 private:
  uint64_t window_bytes_;
  double seeks_left_;  // that windows may still cost
  uint64_t fetched_bytes_ = 0;
  std::unordered_map<uint32_t, uint64_t> ends_;  // of each file's last read
  // Blocks of files that the game has read, and those that windows brought and it hasn't.
  std::unordered_set<uint64_t> read_;
  std::unordered_set<uint64_t> unread_;
};

}  // namespace seekless
