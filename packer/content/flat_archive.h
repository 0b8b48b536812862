// Reads archives without headers, in which a directory lists where each entry's bytes lie,
// uncompressed. Each format has one source file that reads its directory, and that knows which
// fields hold offsets (godot_pck.cpp, quake_pak.cpp). Code that rewrites an archive needn't know
// the format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
};

struct FlatDirectory {
  std::vector<FlatEntry> entries;  // in the directory's order
  // Offset of the directory. If the directory lies before all data, this includes whatever precedes
  // it; otherwise the directory lies after all data.
  uint64_t offset_bytes = 0;
  // The data lie between these limits. The front of the file stays as it is, and more may follow
  // the data.
  uint64_t data_begin_bytes = 0;
  uint64_t data_end_bytes = 0;
  // Fields before or after the data whose values grow with the data.
  std::vector<FlatField> moving_fields;
  // Data begin at multiples of this power of two, at most 4,096.
  uint32_t alignment_bytes = 1;
  // Says why the archive can't be rewritten; empty if it can.
  std::string obstacle;

  bool is_in_front() const { return offset_bytes < data_begin_bytes; }
};

// Returns nothing if the file is no such archive. An archive that can't be rewritten has an
// obstacle and no entries. Reads the directory and the gaps between the data, but only some twelve
// bytes of other files; uses memory in proportion to the directory. Fails with kind `failed` if the
// file can't be read.
Result<std::optional<FlatDirectory>> read_flat_directory(const ByteSource& source);

// These are the readers of the formats, which only read_flat_directory() calls.
Result<std::optional<FlatDirectory>> read_godot_pck(const ByteSource& source);
Result<std::optional<FlatDirectory>> read_quake_pak(const ByteSource& source);

// Returns true if twelve bytes at the file's start may begin Quake's .pak; other formats, such as
// git's, begin with the same letters.
bool begins_like_quake_pak(std::span<const std::byte> start, uint64_t file_bytes);

// Returns true if the file begins as Godot's .pck, or ends as a program does that has one appended.
Result<bool> looks_like_godot_pck(const ByteSource& source);

// Formats call this to fill in the members that follow from the entries. It sets an obstacle if it
// doesn't understand some byte between the entries. Fails with kind `damaged` unless the data lie
// between `front_end_bytes` and `back_begin_bytes`.
Result<void> settle_data(const ByteSource& source, uint64_t front_end_bytes,
                         uint64_t back_begin_bytes, FlatDirectory& directory);

}  // namespace seekless
