// Reads the central directory of a zip archive: names, sizes and places of its entries. It parses
// untrusted files with runtime/zip_directory.h, and names with runtime/zip_name.h. In addition, it
// checks entries for overlaps, and describes faults in words. Local headers are read elsewhere
// (local_header.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"
#include "runtime/asset_path.h"
#include "runtime/zip_directory.h"

namespace seekless {

namespace zip_method {
inline constexpr uint16_t kStored = runtime::kZipStored;
inline constexpr uint16_t kDeflated = runtime::kZipDeflated;
}  // namespace zip_method

namespace zip_flag {
inline constexpr uint16_t kEncrypted = runtime::kZipEncryptedFlag;
inline constexpr uint16_t kDataDescriptor = 1U << 3;  // sizes and CRC lie after the data
inline constexpr uint16_t kUtf8 = 1U << 11;
}  // namespace zip_flag

inline constexpr uint32_t kLocalHeaderSignature = runtime::kZipLocalSignature;
inline constexpr size_t kLocalHeaderBytes =
    runtime::kZipLocalBytes;  // size without name and extra field

inline constexpr const char* kArchiveAdvice =
    "the archive is damaged: get it again, or exclude the entry";

// Returns the name of a method for messages: "LZMA", "method 77".
std::string zip_method_name(uint16_t method);

// Describes one entry. The views point into its ZipDirectory.
struct ZipEntry : runtime::ZipRecord {
  std::string name;                        // from runtime::ZipName::path
  PathFault name_fault = PathFault::none;  // why `name` can't be an asset's path
  bool is_directory = false;               // an empty folder entry; `name` may be empty then
  bool is_link = false;  // a symbolic link: no asset, because engines' readers disagree about them

  uint64_t limit_bytes = 0;  // the latest start of the next entry, the directory or the end

  bool has_data_descriptor() const { return (flags & zip_flag::kDataDescriptor) != 0; }
  // Returns the number of bytes from the start of the local header to the data. It comes from the
  // directory; the local header's extra field may have another length.
  uint32_t header_bytes() const;
};

// Returns "entry 'a/b' at byte 1234", with the place of its local header; long names are cut.
std::string place_of(const ZipEntry& entry);

inline bool can_unpack(uint16_t method, bool is_encrypted) {
  return !is_encrypted && (method == zip_method::kStored || method == zip_method::kDeflated);
}
// Fails if an entry is encrypted or compressed by an unknown method. `file` and `place` are for the
// message.
Result<void> check_readable(const std::string& file, const std::string& place, uint16_t method,
                            bool is_encrypted);

// Keeps the directory's bytes, and 16 bytes per entry.
class ZipDirectory {
 public:
  size_t entry_count() const { return records_.size(); }
  // `index` must be less than entry_count(), in the order of the file. Each call decodes the record
  // again.
  ZipEntry entry(size_t index) const;

  // These return where the central directory lies in the file, and its length.
  uint64_t offset_bytes() const { return end_.directory_offset_bytes; }
  uint64_t size_bytes() const { return end_.directory_bytes; }
  // Returns true if the directory lies before all entries, as in Firefox's archives.
  bool is_in_front() const { return end_.is_in_front; }
  // Returns where the end record lies (the zip64 one, if there is one). It usually follows the
  // directory.
  uint64_t end_offset_bytes() const { return end_.offset_bytes; }
  // Returns how many bytes precede the archive, and so are added to its offsets, if it was appended
  // to another file.
  uint64_t shift_bytes() const { return end_.shift_bytes; }
  const std::string& comment() const { return comment_; }
  // Returns the number of unused bytes after the archive's end.
  uint64_t trailing_bytes() const { return end_.trailing_bytes; }
  bool is_zip64() const { return end_.is_zip64; }

 private:
  friend class ZipDirectoryReader;
  struct DirectoryRecord {
    uint64_t at;           // offset in bytes_
    uint64_t limit_bytes;  // ZipEntry::limit_bytes
  };
  runtime::ZipRecord record(size_t index) const;

  runtime::ZipEnd end_;
  std::string comment_;
  std::vector<std::byte> bytes_;  // bytes of all records
  std::vector<DirectoryRecord> records_;
};

// Does the same as runtime::is_zip, for a ByteSource.
Result<bool> looks_like_zip(const ByteSource& source);

// Reads and checks the whole directory, with one read at the end of the file and one of the
// directory. Memory is in proportion to the valid part of the directory, not to what a field
// claims. Entries that can't be assets (name_fault, check_readable) are listed, too. Fails with
// kind `damaged` for a missing end record, a split archive, a directory that doesn't match the end
// record, impossible sizes, and entries that lie outside the file, over each other or over the
// directory.
Result<ZipDirectory> read_zip_directory(const ByteSource& source);

}  // namespace seekless
