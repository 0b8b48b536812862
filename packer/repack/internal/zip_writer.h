// The records of a zip archive as bytes: local headers, the central directory, the end. Values in,
// bytes out; the same values give the same bytes. The format is APPNOTE.TXT 6.3.10 of PKWARE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "packer/content/zip_directory.h"

namespace seekless {

// Appends the lowest `bytes` of `value`.
void append_little_endian(std::string& out, uint64_t value, size_t bytes);

// An entry as it is written; what isn't here is as in the ZipEntry it comes from.
struct WrittenEntry {
  uint64_t offset_bytes = 0;  // of the local header, as the directory is to give it
  uint64_t stored_bytes = 0;
  uint16_t method = 0;
  uint16_t flags = 0;

  bool has_data_descriptor() const { return (flags & zip_flag::kDataDescriptor) != 0; }
};

// A whole local header, with sizes and CRC. `extra` is the one of the old header. If `align_bytes`
// is more than 1, a field that does nothing else is added such that the data after the header
// begin at a multiple of it, `at_bytes` being the header's own place in the file; unless there is
// no room for the field, or the extra fields are malformed.
std::string local_header(const ZipEntry& entry, const WrittenEntry& written, std::string_view extra,
                         uint64_t at_bytes, uint32_t align_bytes);

// The most that local_header() returns for it.
uint64_t most_header_bytes(const ZipEntry& entry, uint64_t extra_bytes, uint32_t align_bytes);

// What follows the data of an entry that has to have it.
std::string data_descriptor(const ZipEntry& entry, const WrittenEntry& written);

// A record of the central directory.
void append_record(std::string& out, const ZipEntry& entry, const WrittenEntry& written);

// Whether all of the entry's record fits its fields: a zip64 field is added, which needs room.
bool has_room_for_record(const ZipEntry& entry, const WrittenEntry& written);

struct ArchiveEnd {
  uint64_t entry_count = 0;
  uint64_t directory_offset_bytes = 0;  // both places as the archive is to give them
  uint64_t directory_bytes = 0;
  std::string_view comment;
};

// The end record, after the zip64 ones if they are needed.
std::string end_records(const ArchiveEnd& end);

}  // namespace seekless
