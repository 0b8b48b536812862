// Archives without headers: a directory says where each entry's bytes lie, and they lie there as
// they are. A format is one source that says how such a directory is read and which of its fields
// say where things lie (godot_pck.cpp, quake_pak.cpp); whoever rewrites an archive needn't know
// which one it is.
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

// A number that the file holds, little-endian.
struct FlatField {
  uint64_t at_bytes = 0;     // in the file
  uint32_t width_bytes = 0;  // 4 or 8
};

struct FlatEntry {
  std::string name;  // as an asset's path: "res://" is left out
  PathFault name_fault = PathFault::none;
  uint64_t offset_bytes = 0;  // of the data, in the file
  uint64_t size_bytes = 0;
  FlatField offset_field;  // holds offset_bytes - base_bytes
  uint64_t base_bytes = 0;
};

struct FlatDirectory {
  std::vector<FlatEntry> entries;  // in the directory's order
  // Of the directory, with what stands before it if it lies before all data; else it lies after all
  // of them.
  uint64_t offset_bytes = 0;
  // Where all data lie: between what stays at the front of the file, and what comes after the data.
  uint64_t data_begin_bytes = 0;
  uint64_t data_end_bytes = 0;
  // Fields before or after the data that grow by what the data grow.
  std::vector<FlatField> moving_fields;
  // Data begin at multiples of it: a power of two up to 4,096.
  uint32_t alignment_bytes = 1;
  // Why the archive has to stay as it is; empty if it can be rewritten.
  std::string obstacle;

  bool is_in_front() const { return offset_bytes < data_begin_bytes; }
};

// None if the file is no such archive. One that can't be rewritten has an obstacle and no entries.
// Reads the directory and what lies between the data, and some twelve bytes each of other files;
// memory is in proportion to the directory. Errors: failed for what can't be read.
Result<std::optional<FlatDirectory>> read_flat_directory(const ByteSource& source);

// The formats, each for read_flat_directory() alone.
Result<std::optional<FlatDirectory>> read_godot_pck(const ByteSource& source);
Result<std::optional<FlatDirectory>> read_quake_pak(const ByteSource& source);

// Whether a file that starts so may be Quake's .pak: other formats begin with the same letters,
// such as git's. Twelve bytes decide.
bool begins_like_quake_pak(std::span<const std::byte> start, uint64_t file_bytes);

// For formats: fills in what follows from the entries; an obstacle if not every byte between them
// is understood. The data lie from `front_end_bytes` on and end at `back_begin_bytes` at the
// latest; errors of kind damaged if they don't.
Result<void> settle_data(const ByteSource& source, uint64_t front_end_bytes,
                         uint64_t back_begin_bytes, FlatDirectory& directory);

}  // namespace seekless
