// Splits the lines of blkparse, for the dialect and for tables of served requests.
#pragma once

#include <cstdint>
#include <string_view>

namespace seekless {

struct BlockLine {
  uint64_t device = 0;  // major and minor
  int64_t time_ns = 0;
  uint32_t process = 0;
  char action = 0;
  std::string_view rwbs;
  uint64_t sector = 0;
  uint64_t sectors = 0;
  bool has_place = false;

  bool is_write() const { return rwbs.find('W') != std::string_view::npos; }
  bool is_read() const { return rwbs.find('R') != std::string_view::npos && !is_write(); }
};

// Returns false if `text` is no such line; `line` is then undefined.
bool split_block_line(std::string_view text, BlockLine& line);
bool is_block_line(std::string_view text);

// Recognises the totals that blkparse prints after the events: "CPU0 (8,0):", " Reads Queued:    3,
// ...".
bool is_block_summary(std::string_view text);

// Recognises blkparse's output by its front.
bool recognise_blkparse(std::string_view front);

}  // namespace seekless
