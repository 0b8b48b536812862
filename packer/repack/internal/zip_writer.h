// Writes the records of a zip archive as bytes: local headers, the central directory, the end. The
// same values give the same bytes. The format is APPNOTE.TXT 6.3.10 of PKWARE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "packer/content/zip_directory.h"

namespace seekless {

// Appends the lowest `bytes` of `value`.
void append_little_endian(std::string& out, uint64_t value, size_t bytes);

// Describes an entry as it is written. All other values come from the old ZipEntry.
struct WrittenEntry {
  uint64_t offset_bytes = 0;  // offset of the local header, as it should be written
  uint64_t stored_bytes = 0;
  uint16_t method = 0;
  uint16_t flags = 0;

  bool has_data_descriptor() const { return (flags & zip_flag::kDataDescriptor) != 0; }
};

// Returns a whole local header, with sizes and CRC. `extra` is that of the old header. If
// `align_bytes` is more than 1, a padding field is added so that the data after the header begin at
// a multiple of it; `at_bytes` is the header's own offset in the file. The field is left out if
// there is no room for it, or if the extra fields are malformed.
std::string local_header(const ZipEntry& entry, const WrittenEntry& written, std::string_view extra,
                         uint64_t at_bytes, uint32_t align_bytes);

// Returns the maximum length of the result of local_header().
uint64_t most_header_bytes(const ZipEntry& entry, uint64_t extra_bytes, uint32_t align_bytes);

// Returns the descriptor after the data of an entry that needs one.
std::string data_descriptor(const ZipEntry& entry, const WrittenEntry& written);

// Appends a record of the central directory.
void append_record(std::string& out, const ZipEntry& entry, const WrittenEntry& written);

// Returns true if the entry's record fits its fields. A zip64 field may have to be added, which
// needs room.
bool has_room_for_record(const ZipEntry& entry, const WrittenEntry& written);

struct ArchiveEnd {
  uint64_t entry_count = 0;
  uint64_t directory_offset_bytes = 0;  // both offsets as they should be written
  uint64_t directory_bytes = 0;
  std::string_view comment;
};

// Returns the end record, preceded by the zip64 records if they are needed.
std::string end_records(const ArchiveEnd& end);

}  // namespace seekless
