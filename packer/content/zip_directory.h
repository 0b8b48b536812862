// The central directory of a zip archive, as it lies in the file: names, sizes and places of its
// entries. Reads untrusted files; local headers aren't looked at (asset_reader.h does that). The
// format is APPNOTE.TXT 6.3.10 of PKWARE; where archives in the wild differ from it, Info-ZIP's
// unzip decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/host/error.h"
#include "packer/host/files.h"
#include "runtime/asset_path.h"

namespace seekless {

namespace zip_method {
inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;
}  // namespace zip_method

namespace zip_flag {
inline constexpr uint16_t kEncrypted = 1U << 0;
inline constexpr uint16_t kDataDescriptor = 1U << 3;  // sizes and CRC stand behind the data
inline constexpr uint16_t kUtf8 = 1U << 11;
}  // namespace zip_flag

inline constexpr uint32_t kLocalHeaderSignature = 0x04034b50;
inline constexpr size_t kLocalHeaderBytes = 30;  // without name and extra field

// The name of a method for messages: "LZMA", "method 77".
std::string zip_method_name(uint16_t method);

// One entry. The views point into the ZipDirectory it came from.
struct ZipEntry {
  // UTF-8, separated by '/', without "./" in front, doubled slashes and a slash at the end. Decoded
  // from, in this order: the Unicode path field 0x7075, if its CRC is that of the raw name; UTF-8,
  // if the flag says so; UTF-8, if the entry was made on Unix or macOS and is valid; code page 437.
  // Backslashes of entries made on DOS and Windows are separators.
  std::string name;
  PathFault name_fault = PathFault::none;  // what keeps `name` from being an asset's path
  bool is_directory = false;               // of no size; `name` may be empty then

  std::string_view raw_name;
  std::string_view raw_extra;
  std::string_view raw_comment;

  uint64_t size_bytes = 0;           // of the content
  uint64_t stored_bytes = 0;         // of the data in the archive
  uint64_t header_offset_bytes = 0;  // from the start of the file: a prefix is added in
  uint64_t limit_bytes = 0;          // where the next entry or the directory starts, at the latest
  uint64_t record_offset_bytes = 0;  // of the record in the central directory
  uint32_t crc32 = 0;
  uint32_t external_attributes = 0;
  uint16_t internal_attributes = 0;
  uint16_t version_made_by = 0;  // the high byte is the host system
  uint16_t version_needed = 0;
  uint16_t flags = 0;  // zip_flag
  uint16_t method = 0;
  uint16_t dos_time = 0;
  uint16_t dos_date = 0;

  bool is_encrypted() const { return (flags & zip_flag::kEncrypted) != 0; }
  bool has_data_descriptor() const { return (flags & zip_flag::kDataDescriptor) != 0; }
  // Bytes from the start of the local header to the data, as far as the directory tells: its extra
  // field may differ from that in the local header.
  uint32_t header_bytes() const;
};

// "entry 'a/b' at byte 1234", the place of its local header; long names are cut.
std::string place_of(const ZipEntry& entry);

inline bool can_unpack(uint16_t method, bool is_encrypted) {
  return !is_encrypted && (method == zip_method::kStored || method == zip_method::kDeflated);
}
// Fails if an entry is encrypted or compressed by an unknown method. `file` and `place` are for the
// message.
Result<void> check_readable(const std::string& file, const std::string& place, uint16_t method,
                            bool is_encrypted);

// Keeps the directory's bytes and 16 bytes per entry.
class ZipDirectory {
 public:
  size_t entry_count() const { return records_.size(); }
  // `index` < entry_count(); in the order of the file. Decodes the record anew at each call.
  ZipEntry entry(size_t index) const;

  // Where the central directory lies in the file, and its bytes as they are.
  uint64_t offset_bytes() const { return offset_bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // Where the end record (the zip64 one, if there is one) lies, right behind the directory.
  uint64_t end_offset_bytes() const { return end_offset_bytes_; }
  // What was added to the offsets the file gives, as it was put behind something else.
  uint64_t shift_bytes() const { return shift_bytes_; }
  const std::string& comment() const { return comment_; }
  // Bytes behind the archive's end that belong to nothing.
  uint64_t trailing_bytes() const { return trailing_bytes_; }
  bool is_zip64() const { return is_zip64_; }

 private:
  friend class ZipDirectoryParser;
  struct Record {
    uint64_t at;           // in bytes_
    uint64_t limit_bytes;  // ZipEntry::limit_bytes
  };

  std::vector<std::byte> bytes_;
  std::vector<Record> records_;
  std::string comment_;
  uint64_t offset_bytes_ = 0;
  uint64_t end_offset_bytes_ = 0;
  uint64_t shift_bytes_ = 0;
  uint64_t trailing_bytes_ = 0;
  bool is_zip64_ = false;
};

// Whether the file is a zip archive by its content, be it whole or damaged: it starts with a zip's
// signature, or (self-extractors, archives behind other data) ends with an end record whose
// figures fit the file. Fails only if the file can't be read.
Result<bool> looks_like_zip(const ByteSource& source);

// Reads and checks the whole directory: one read at the end of the file and one of the directory.
// Memory is in proportion to the directory as far as it is valid, not to what a field claims.
// Entries that can't be used as assets (name_fault, check_readable) are listed. Errors of kind
// damaged: no end record, split archives, a directory that isn't where or what the end record says,
// entries that lie outside the file, over each other or over the directory, impossible sizes.
Result<ZipDirectory> read_zip_directory(const ByteSource& source);

}  // namespace seekless
