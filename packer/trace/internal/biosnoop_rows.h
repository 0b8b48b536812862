// Reads the rows of biosnoop, for the dialect and for tables of served requests.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "packer/base/error.h"
#include "packer/host/files.h"
#include "packer/trace/dialect.h"

namespace seekless {

// Holds one finished request. The texts are valid until the next row.
struct BiosnoopRow {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::string_view kind;  // R, W, or several letters as in blkparse's output
  std::string_view disk;
  uint32_t process = 0;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;

  bool is_write() const { return kind.find('W') != std::string_view::npos; }
  bool is_read() const { return kind.find('R') != std::string_view::npos && !is_write(); }
};

bool recognise_biosnoop(std::string_view front);

// Hands each row to `take`, which returns true if it understood the row. Fails if the stream or
// `take` does, or if no column holds positions.
Result<void> for_each_biosnoop_row(ByteStream& stream, ImportReport& report,
                                   const std::function<Result<bool>(const BiosnoopRow&)>& take);

}  // namespace seekless
