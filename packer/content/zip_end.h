// The end record of a zip archive: where its central directory lies. It stands at the very end of
// the file, or before a comment, or before a few bytes that don't belong to the archive.
#pragma once

#include <cstdint>
#include <string>

#include "packer/host/error.h"
#include "packer/host/files.h"

namespace seekless {

struct ZipEnd {
  uint64_t directory_offset_bytes = 0;  // in the file
  uint64_t directory_bytes = 0;
  uint64_t entry_count = 0;       // as claimed
  uint64_t end_offset_bytes = 0;  // of the record behind the directory
  uint64_t shift_bytes = 0;       // see ZipDirectory::shift_bytes
  uint64_t trailing_bytes = 0;
  uint64_t comment_bytes = 0;
  std::string comment;
  bool is_zip64 = false;
};

// The directory of the result lies within the file and starts with the signature of a record,
// or is empty.
Result<ZipEnd> find_zip_end(const ByteSource& source);

// See looks_like_zip.
Result<bool> has_zip_signature(const ByteSource& source);

}  // namespace seekless
