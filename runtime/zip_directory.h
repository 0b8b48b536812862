// The directory of a zip file, which may come from anywhere: nothing is used before it is known to
// lie inside the file. Mounts and the packer read zips by this one parser. The format is
// APPNOTE.TXT 6.3.10 of PKWARE, zip64 included; where archives in the wild differ from it,
// Info-ZIP's unzip decides.
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
// Of the records, without what has a length of its own.
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
// The most that deflate can do: 258 bytes from a length and a distance of one bit each.
inline constexpr uint64_t kMostInflation = 1032;

// What is wrong with a zip. After each: what ZipFault::expected and ZipFault::found are.
enum class ZipFlaw : uint8_t {
  none,
  unreadable,  // see ZipFault::cause
  // Of the end record.
  no_end,            // found: bytes that were searched
  no_zip64_end,      // its figures call for one
  long_comment,      // its length; bytes to the end of the file
  split,             // found: the part that this is, from 0
  long_directory,    // bytes before the end; bytes of the directory
  short_directory,   // entries; bytes of the directory
  no_directory,      // the first place where it may be; its place as claimed; also: its bytes
  other_archive,     // found: where the archive begins that the end belongs to
  hidden_directory,  // it is encrypted
  wrong_count,       // entries in the directory; entries by the end record
  // Of a record of the directory.
  bad_signature,  // found: what stands there
  cut_record,     // its bytes; bytes to the directory's end
  // Of an entry.
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
  uint64_t at_bytes = 0;  // of the record in the file
  uint64_t expected = 0;
  uint64_t found = 0;
  uint64_t also = 0;
  Error cause = {};
};

template <typename T>
using ZipResult = std::expected<T, ZipFault>;

// Where the directory lies, as the end record says. That stands at the very end of the file, or
// before a comment, or before a few bytes that don't belong to the zip.
struct ZipEnd {
  uint64_t directory_offset_bytes = 0;  // in the file
  uint64_t directory_bytes = 0;
  uint64_t entry_count = 0;    // as claimed
  uint64_t offset_bytes = 0;   // of the first record after the directory
  uint64_t shift_bytes = 0;    // what was added to the offsets the file gives: bytes put before it
  uint64_t comment_bytes = 0;  // right after the record, then follow the trailing ones
  uint64_t trailing_bytes = 0;
  bool is_zip64 = false;
  // Firefox's archives have the directory before all entries, and the end record after them.
  bool is_in_front = false;

  // Entries lie between these places, headers and data.
  uint64_t entries_begin_bytes() const {
    return is_in_front ? directory_offset_bytes + directory_bytes : 0;
  }
  uint64_t entries_end_bytes() const { return is_in_front ? offset_bytes : directory_offset_bytes; }
};

// The directory lies within the file and starts with the signature of a record, or is empty.
ZipResult<ZipEnd> find_zip_end(const File& file);

// Whether the file is a zip by its content, be it whole or damaged: it starts with a zip's
// signature, or (self-extractors, archives after other data) ends with an end record whose figures
// fit the file. A pack is none, even if it ends with a zip. Fails only if the file can't be read.
ZipResult<bool> is_zip(const File& file);

// One entry as the directory has it. The views point into the record's bytes.
struct ZipRecord {
  std::string_view raw_name;
  std::string_view raw_extra;
  std::string_view raw_comment;
  uint64_t size_bytes = 0;           // of the content
  uint64_t stored_bytes = 0;         // of the data in the archive
  uint64_t header_offset_bytes = 0;  // from the start of the file: a prefix is added in
  uint64_t record_offset_bytes = 0;  // of the record, in the file
  uint32_t crc32 = 0;
  uint32_t external_attributes = 0;
  uint16_t internal_attributes = 0;
  uint16_t version_made_by = 0;  // the high byte is the host system
  uint16_t version_needed = 0;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint16_t dos_time = 0;
  uint16_t dos_date = 0;
  ZipFlaw flaw = ZipFlaw::none;  // of the record itself: short_zip64_field, split_entry

  bool is_encrypted() const { return (flags & kZipEncryptedFlag) != 0; }
};

// `bytes` are those of a whole record that begins `at_bytes` into the directory.
ZipRecord load_zip_record(std::span<const std::byte> bytes, uint64_t at_bytes, const ZipEnd& end);

// The data of the first extra field with this number; none if there is none or the fields before
// it are malformed.
std::optional<std::span<const std::byte>> find_extra_field(std::string_view extra, uint16_t number);

// What keeps the entry from being where and of the size it claims: beyond_directory to
// deflated_size.
std::optional<ZipFault> fault_of(const ZipRecord& record, const ZipEnd& end);

// The records of a directory, one after the other. It is read piece by piece, so that memory goes
// with what is there, whatever a field claims.
class ZipRecords {
 public:
  // `file` must outlive it, and what `memory` allocates with. Throws std::bad_alloc.
  ZipRecords(const File& file, const ZipEnd& end, const Memory& memory = {});

  // Goes to the next record. False after the last: then they are as many as the end record says.
  ZipResult<bool> next();
  // The record that next() came to, or found to be wrong; its views hold until the next call.
  const ZipRecord& record() const { return record_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  ZipResult<bool> has(uint64_t length_bytes);
  ZipResult<bool> check_count() const;

  const File& file_;
  const ZipEnd end_;
  const TableMemory memory_;
  std::span<std::byte> window_;  // of memory_: what was read of the directory, from at_bytes_ on
  std::span<std::byte> bytes_;   // of window_
  uint64_t at_bytes_ = 0;        // in the directory
  uint64_t count_ = 0;
  ZipRecord record_;
};

}  // namespace seekless::runtime
