// Cuts a stream of text into lines in bounded memory. All text dialects use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

struct Line {
  // The text without its line end ("\n" or "\r\n"), valid until the next call.
  std::string_view text;
  uint64_t number = 0;   // counted from 1
  bool is_ended = true;  // false only for a last line without "\n"
  bool is_cut = false;   // longer than the limit: `text` is only its first kilobyte
};

class LineReader {
 public:
  static constexpr size_t kLimitBytes = size_t{1} << 20;
  static constexpr size_t kReadBytes = size_t{256} << 10;

  // `stream` must outlive the reader.
  explicit LineReader(ByteStream& stream, size_t limit_bytes = kLimitBytes,
                      size_t read_bytes = kReadBytes);

  // Returns false at the end of the stream. Uses at most about twice the limit of memory.
  Result<bool> next(Line& line);
  uint64_t lines() const { return lines_; }

 private:
  Result<void> refill();
  Result<void> skip_rest();

  ByteStream& stream_;
  size_t limit_bytes_;
  size_t read_bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // start of the bytes not yet given out
  size_t end_ = 0;
  std::vector<char> cut_;  // the front of a line that is too long
  bool at_end_ = false;
  uint64_t lines_ = 0;
};

}  // namespace seekless
