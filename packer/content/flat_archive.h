// Reads archives in which a directory lists where each entry's bytes lie. Their data can be moved
// unchanged, compressed or not. Each format consists of one source file (godot_pck.cpp,
// bethesda_bsa.cpp, ...), which recognises it, reads its directory and knows what changes when data
// move; and of a line in internal/flat_formats.h. Code that rewrites an archive needn't know the
// format.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/checksum_of_format.h"
#include "packer/base/error.h"
#include "packer/host/files.h"
#include "runtime/asset_path.h"

namespace seekless {

// A little-endian number in the file.
struct FlatField {
  uint64_t at_bytes = 0;     // offset in the file
  uint32_t width_bytes = 0;  // 4 or 8
};

struct FlatEntry {
  std::string name;  // an asset's path, without "res://"
  PathFault name_fault = PathFault::none;
  uint64_t offset_bytes = 0;  // offset of the data in the file
  uint64_t size_bytes = 0;
  FlatField offset_field;  // holds offset_bytes - base_bytes
  uint64_t base_bytes = 0;
  // Moving the data needn't know the rest.
  // The data begin with a header of this size; the file follows. The header is the length of a text
  // (1 byte) and the text: the end of the entry's name.
  uint32_t header_bytes = 0;
  // Instead, the header is a copy of a record of the directory of Unreal's .pak: a place, which is
  // 0, twice the file's size (8 bytes each), a compression, which is 0, and more.
  bool is_header_record = false;
  // Says what the data are, such as "compressed data"; empty if they are the file's own bytes,
  // unchanged.
  std::string_view stored_as = {};
  // Checksums of the file, if the directory has them.
  std::optional<uint32_t> crc32 = {};
  std::optional<Md5> md5 = {};
};

struct FlatStretch {
  uint64_t begin_bytes = 0;  // offset in the file
  uint64_t end_bytes = 0;
};

struct FlatFormat;

struct FlatDirectory {
  const FlatFormat* format = nullptr;
  std::vector<FlatEntry> entries;  // in the directory's order
  // Offset of the directory. If the directory lies before all data, this includes whatever precedes
  // it; otherwise the directory lies after all data.
  uint64_t offset_bytes = 0;
  // The data lie between these limits. The front of the file doesn't change, and more may follow
  // the data.
  uint64_t data_begin_bytes = 0;
  uint64_t data_end_bytes = 0;
  // The stretches between data, which should be padding, too; none is empty.
  std::vector<FlatStretch> gaps;
  // No entry and no part of the directory lies here, so these bytes should be padding. A stretch
  // may be empty, or end before its begin.
  std::vector<FlatStretch> unused;
  // Fields before or after the data whose values grow with the data.
  std::vector<FlatField> moving_fields;
  // Data begin at multiples of this power of two, at most 4,096.
  uint32_t alignment_bytes = 1;
  // Data must begin at this offset at most, whatever the width of the field.
  uint64_t most_offset_bytes = UINT64_MAX;
  // Packers of the format write this between data. It belongs to no entry, and a rewritten archive
  // leaves it out.
  std::string_view filler = {};
  // The engine puts this in front of all names; empty, or ends with a slash.
  std::string mount = {};
  // Says why the archive can't be rewritten; empty if it can.
  std::string obstacle;
  // Says why the archive can only be rewritten, not taken apart; empty if it can be both.
  std::string take_apart_obstacle = {};

  bool is_in_front() const { return offset_bytes < data_begin_bytes; }
};

// Returns nothing if the file isn't such an archive. An archive that can't be rewritten has an
// obstacle and no entries. Reads only the directory, and only about twelve bytes of any other file;
// uses memory in proportion to the directory. Fails with kind `failed` if the file can't be read.
Result<std::optional<FlatDirectory>> read_flat_directory(const ByteSource& source);

// Holds the beginning and the end of a file, by which formats are recognised.
struct FileEnds {
  std::span<const std::byte> front;  // at most 64 bytes
  std::span<const std::byte> back;   // at most 256 bytes
  uint64_t size_bytes = 0;
};

// Tells where the data of a new archive will lie.
struct FlatPlaces {
  std::span<const uint64_t> offset_bytes;  // indexed by entry
  uint64_t data_end_bytes = 0;
};

// Holds the parts of a new archive before and after its data.
struct FlatAround {
  std::string front;  // ends where the old archive's data begin
  std::string back;
};

// Describes a format for code outside its own source file.
struct FlatFormat {
  std::string_view name;  // follows "is": "Godot's .pck"
  // Returns true if a file with such ends may be of this format.
  bool (*may_be)(const FileEnds& ends);
  // Does the work of read_flat_directory().
  Result<std::optional<FlatDirectory>> (*read)(const ByteSource& source);
  // Makes the parts before and after the new archive's data. Null if it is enough to change the
  // numbers in the directory's fields.
  Result<FlatAround> (*write)(const ByteSource& source, const FlatDirectory& directory,
                              const FlatPlaces& places) = nullptr;
};

// Values of FlatEntry::stored_as that several formats use.
inline constexpr std::string_view kCompressedData = "compressed data";
inline constexpr std::string_view kEncryptedData = "encrypted data";
inline constexpr std::string_view kRemovalMark = "a mark that the file was removed";
inline constexpr std::string_view kPartOfFile = "a part of the file";
inline constexpr std::string_view kFileWithoutBegin = "the file without its first bytes";
inline constexpr std::string_view kDataWithoutName = "data without a name";

// Returns why the archive can't be rewritten, as far as only its gaps show; empty if it can. Reads
// the gaps, which lie all over the archive.
Result<std::string> obstacle_between_data(const ByteSource& source, const FlatDirectory& directory);

// Returns why the files that the directory lists aren't all that the archive holds; empty if they
// are. Reads the unused stretches.
Result<std::string> obstacle_to_taking_apart(const ByteSource& source,
                                             const FlatDirectory& directory);

// Returns the format that the file's ends suggest; null if there is none.
Result<const FlatFormat*> flat_format_of(const ByteSource& source);

// Returns these bytes of the old archive, with new numbers in the directory's fields.
Result<std::string> with_new_places(const ByteSource& source, const FlatDirectory& directory,
                                    const FlatPlaces& places, uint64_t begin_bytes,
                                    uint64_t end_bytes);

// Returns `count` bytes of the file, from `at_bytes` on. All of them are in memory at once.
Result<std::string> bytes_at(const ByteSource& source, uint64_t at_bytes, uint64_t count);

// Calls `visit` for these bytes of the file, piece by piece.
Result<void> visit_bytes(const ByteSource& source, uint64_t begin_bytes, uint64_t end_bytes,
                         const std::function<void(std::span<const std::byte>)>& visit);

// Calls `visit` for the data of the new archive, zeros between them included, front to back.
Result<void> visit_new_data(const ByteSource& source, const FlatDirectory& directory,
                            const FlatPlaces& places,
                            const std::function<void(std::span<const std::byte>)>& visit);

// A field, with its new value.
struct ChangedField {
  FlatField field;
  uint64_t value = 0;
};

// Returns all fields of the directory with their new values, in the order in which they lie.
Result<std::vector<ChangedField>> changed_fields(const ByteSource& source,
                                                 const FlatDirectory& directory,
                                                 const FlatPlaces& places);

// Formats call this to fill in the members that follow from the entries. It sets an obstacle if
// entries lie in part over others, and leaves it to callers to check the gaps. Fails with kind
// `damaged` unless the data lie between `front_end_bytes` and `back_begin_bytes`.
Result<void> settle_data(const ByteSource& source, uint64_t front_end_bytes,
                         uint64_t back_begin_bytes, FlatDirectory& directory);

}  // namespace seekless
