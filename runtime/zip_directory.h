// The directory of a zip file, which may come from anywhere: nothing is used before it is known to
// lie inside the file. Reads what PKWARE's APPNOTE.TXT 6.3 describes, zip64 included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/memory.h"

namespace seekless::runtime {

struct ZipEntry {
  std::string path;
  uint64_t header_offset_bytes = 0;  // of its local header, in the file
  uint64_t stored_bytes = 0;
  uint64_t size_bytes = 0;
  uint32_t crc32 = 0;
  uint16_t method = 0;
  bool is_encrypted = false;
};

inline constexpr uint16_t kZipStored = 0;
inline constexpr uint16_t kZipDeflated = 8;

struct ZipDirectory {
  std::vector<ZipEntry> entries;  // files only, in the order of the directory
  uint64_t offset_bytes = 0;      // where the directory begins: all data lies before
};

// By its first bytes, or by its end where other bytes were put before it. False if it can't be
// read.
bool is_zip(const File& file);

// Bytes may stand before the zip and after it. Folders and links are left out, and of entries of
// one path all but the last. Errors: DAMAGED; UNSUPPORTED: several volumes, or a path that no asset
// may have.
Result<ZipDirectory> read_zip_directory(const File& file, const Memory& memory);

// Where the entry's bytes begin, by its local header, which must agree with the directory's.
Result<uint64_t> find_zip_data(const File& file, const ZipDirectory& directory,
                               const ZipEntry& entry);

}  // namespace seekless::runtime
