// Defines the file format of a patch from one pack set to another: schemas/patch.md. Patches may
// come from anywhere, so read_patch() checks that every range lies inside the file or table that it
// refers to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"
#include "runtime/pack_format.h"

namespace seekless {

inline constexpr std::array<uint8_t, 8> kPatchMagic = {0x89, 'S', 'K', 'P', '\r', '\n', 0x1a, '\n'};
inline constexpr uint16_t kPatchMajor = 1;
inline constexpr uint16_t kPatchMinor = 0;
inline constexpr uint32_t kMostPieceBytes = 1024 * 1024;  // limit of new bytes in one operation
inline constexpr uint32_t kFromPatch = UINT32_MAX;        // a value of PatchOperation::file
inline constexpr uint32_t kNoFile = UINT32_MAX;           // a value of PatchedFile::namesake
inline constexpr uint32_t kMostPatchFiles = 1'000'000;
inline constexpr size_t kMostNameBytes = 4096;

struct PatchHeader {
  std::array<uint8_t, 8> magic;
  uint16_t major;
  uint16_t minor;
  uint32_t is_single;  // 1 for a patch between single packs; 0 for sets
  uint64_t patch_bytes;
  uint64_t old_id;
  uint64_t new_id;
  uint64_t table_offset_bytes;  // offset of the tables, which end at the patch's end
  uint32_t old_files;
  uint32_t new_files;
  uint64_t operations;
  uint64_t table_checksum;  // XXH3-64 of the tables
  uint64_t checksum;        // XXH3-64 of the header's bytes before it
};
static_assert(sizeof(PatchHeader) == 80);

struct PatchFileRecord {
  uint64_t size_bytes;
  format::ContentHash hash;
  uint64_t operations;  // number of a new file's operations; 0 for an old file
  uint32_t name_bytes;  // the name follows
  uint32_t same_as;     // for a new file: index of an identical old file, or kFromPatch
};
static_assert(sizeof(PatchFileRecord) == 40);

// Tells where the next bytes of a new file come from.
struct PatchOperation {
  uint64_t offset_bytes;  // offset in the old file, or in the patch
  uint64_t checksum;      // XXH3-64 of the stored bytes; 0 for a copy
  uint32_t file;          // index of the old file, or kFromPatch
  uint32_t size_bytes;    // at least 1; at most kMostPieceBytes from the patch
  // Size in the patch. If it is less than size_bytes, the bytes are a zstd frame; 0 for a copy.
  uint32_t stored_bytes;
  uint32_t reserved_zero;
};
static_assert(sizeof(PatchOperation) == 32);

struct PatchedFile {
  std::string name;
  uint64_t size_bytes = 0;
  format::ContentHash hash = {};
  uint32_t same_as = kFromPatch;
  // For an old file: index of the new file of this name; for a new file: of the old one.
  uint32_t namesake = kNoFile;
  std::vector<PatchOperation> operations;  // empty for an old file
};

struct Patch {
  bool is_single = false;
  uint64_t old_id = 0;
  uint64_t new_id = 0;
  std::vector<PatchedFile> old_files;  // without operations
  std::vector<PatchedFile> new_files;  // in the order in which they are made: the catalog last
};

// Fails with kind `damaged`. Uses memory in proportion to the patch.
Result<Patch> read_patch(const ByteSource& file);

// Holds the tables as they are stored in the patch, and its header, for data that end at
// `data_end_bytes`.
struct PatchTables {
  PatchHeader header;
  std::vector<std::byte> bytes;
};
PatchTables build_patch_tables(const Patch& patch, uint64_t data_end_bytes);

// Reads and checks the new bytes of one operation into `into`, which is size_bytes long.
Result<void> read_piece(const ByteSource& patch, const PatchOperation& operation,
                        std::span<std::byte> into, std::vector<std::byte>& scratch);

}  // namespace seekless
