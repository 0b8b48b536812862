// Parses the central directory of a zip file, which is untrusted: nothing is used before it is
// known to lie inside the file. Mounts and the packer both use this parser. The format is PKWARE's
// APPNOTE.TXT 6.3.10, including zip64; if real archives differ from it, this follows Info-ZIP's
// unzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/memory.h"
#include "runtime/tables.h"

namespace seekless::runtime {

inline constexpr uint32_t kZipLocalSignature = 0x04034b50;
inline constexpr uint32_t kZipRecordSignature = 0x02014b50;
inline constexpr uint32_t kZipDescriptorSignature = 0x08074b50;
inline constexpr uint32_t kZipEndSignature = 0x06054b50;
inline constexpr uint32_t kZip64EndSignature = 0x06064b50;
inline constexpr uint32_t kZip64LocatorSignature = 0x07064b50;
// Sizes of the fixed parts of the records.
inline constexpr size_t kZipLocalBytes = 30;
inline constexpr size_t kZipRecordBytes = 46;
inline constexpr size_t kZipEndBytes = 22;
inline constexpr size_t kZip64EndBytes = 56;
inline constexpr size_t kZip64LocatorBytes = 20;

inline constexpr uint16_t kZipStored = 0;
inline constexpr uint16_t kZipDeflated = 8;
inline constexpr uint16_t kZipEncryptedFlag = 1U << 0;
inline constexpr uint16_t kZip64Field = 0x0001;
inline constexpr uint16_t kZipUnicodePathField = 0x7075;
// Deflate's maximum compression: 258 bytes come from a length and a distance of one bit each.
inline constexpr uint64_t kMostInflation = 1032;

// The faults of a zip. Each comment gives ZipFault::expected and then ZipFault::found.
enum class ZipFlaw : uint8_t {
  none,
  unreadable,  // see ZipFault::cause
  // These concern the end record.
  no_end,           // found: bytes that were searched
  no_zip64_end,     // required by the values in the end record
  long_comment,     // its length; bytes to the end of the file
  split,            // found: the number of this part, from 0
  long_directory,   // bytes before the end; bytes of the directory
  short_directory,  // entries; bytes of the directory
  // Expected: the first possible place; found: the claimed place; also: its size in bytes.
  no_directory,
  other_archive,     // found: the start of the archive that the end belongs to
  hidden_directory,  // it is encrypted
  wrong_count,       // entries in the directory; entries by the end record
  // These concern a record of the directory.
  bad_signature,  // found: the value that is there instead
  cut_record,     // size of the record; bytes to the directory's end
  // These concern an entry.
  short_zip64_field,
  split_entry,
  beyond_directory,  // where entries end; place of the entry
  over_directory,    // where entries begin; place of the entry
  no_room,           // bytes up to where entries end; bytes of the header; also: bytes of data
  stored_size,       // bytes stored; size
  deflated_size,     // bytes stored; size
};

struct ZipFault {
  ZipFlaw flaw = ZipFlaw::none;
  uint64_t at_bytes = 0;  // offset of the record in the file
  uint64_t expected = 0;
  uint64_t found = 0;
  uint64_t also = 0;
  Error cause = {};
};

template <typename T>
using ZipResult = std::expected<T, ZipFault>;

// The directory's place, from the end record. The end record is at the very end of the file, or
// before a comment, or before a few bytes that don't belong to the zip.
struct ZipEnd {
  uint64_t directory_offset_bytes = 0;  // offset in the file
  uint64_t directory_bytes = 0;
  uint64_t entry_count = 0;   // as the end record claims
  uint64_t offset_bytes = 0;  // offset of the first record after the directory
  // Bytes before the archive, which must be added to the offsets stored in it.
  uint64_t shift_bytes = 0;
  uint64_t comment_bytes = 0;  // the comment follows the record directly, then the trailing bytes
  uint64_t trailing_bytes = 0;
  bool is_zip64 = false;
  // In Firefox's archives the directory comes before all entries, and the end record comes after
  // them.
  bool is_in_front = false;

  // Entries, headers included, lie between these two places.
  uint64_t entries_begin_bytes() const {
    return is_in_front ? directory_offset_bytes + directory_bytes : 0;
  }
  uint64_t entries_end_bytes() const { return is_in_front ? offset_bytes : directory_offset_bytes; }
};

// Finds the end record. If it succeeds, the directory lies within the file, and is empty or starts
// with the signature of a record.
ZipResult<ZipEnd> find_zip_end(const File& file);

// Returns true if the content is a zip, even a damaged one: it starts with a zip's signature, or
// (self-extractors, archives after other data) ends with an end record that matches the file. A
// pack isn't a zip, even if it ends with one. Fails only if the file can't be read.
ZipResult<bool> is_zip(const File& file);

// One entry of the directory. The views point into the record's bytes.
struct ZipRecord {
  std::string_view raw_name;
  std::string_view raw_extra;
  std::string_view raw_comment;
  uint64_t size_bytes = 0;           // size of the content
  uint64_t stored_bytes = 0;         // size of the data in the archive
  uint64_t header_offset_bytes = 0;  // offset from the start of the file, with a prefix included
  uint64_t record_offset_bytes = 0;  // offset of the record in the file
  uint32_t crc32 = 0;
  uint32_t external_attributes = 0;
  uint16_t internal_attributes = 0;
  uint16_t version_made_by = 0;  // the high byte is the host system
  uint16_t version_needed = 0;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint16_t dos_time = 0;
  uint16_t dos_date = 0;
  ZipFlaw flaw = ZipFlaw::none;  // a fault of the record itself: short_zip64_field, split_entry

  bool is_encrypted() const { return (flags & kZipEncryptedFlag) != 0; }
};

// `bytes` must be a complete record, which begins `at_bytes` into the directory.
ZipRecord load_zip_record(std::span<const std::byte> bytes, uint64_t at_bytes, const ZipEnd& end);

// Returns the data of the first extra field with this number, or none if there is none or the
// fields before it are malformed.
std::optional<std::span<const std::byte>> find_extra_field(std::string_view extra, uint16_t number);

// Returns the fault if the entry can't have the place and size it claims: beyond_directory to
// deflated_size.
std::optional<ZipFault> fault_of(const ZipRecord& record, const ZipEnd& end);

// Iterates over the records of a directory. It reads the directory piece by piece, so the memory
// depends on the file's real size, not on sizes claimed in it.
class ZipRecords {
 public:
  // `file` and the allocator of `memory` must outlive it. Throws std::bad_alloc.
  ZipRecords(const File& file, const ZipEnd& end, const Memory& memory = {});

  // Goes to the next record. Returns false after the last one; then their number is the one in the
  // end record.
  ZipResult<bool> next();
  // Returns the record that next() reached or found to be invalid; its views are valid until the
  // next call.
  const ZipRecord& record() const { return record_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  ZipResult<bool> has(uint64_t length_bytes);
  ZipResult<bool> check_count() const;

  const File& file_;
  const ZipEnd end_;
  const TableMemory memory_;
  // Part of memory_: the part of the directory that was read, from at_bytes_ on.
  std::span<std::byte> window_;
  std::span<std::byte> bytes_;  // part of window_
  uint64_t at_bytes_ = 0;       // offset in the directory
  uint64_t count_ = 0;
  ZipRecord record_;
};

}  // namespace seekless::runtime
