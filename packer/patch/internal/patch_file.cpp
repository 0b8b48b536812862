#include "packer/patch/internal/patch_file.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "packer/patch/set_files.h"

namespace seekless {
namespace {

constexpr const char* kAdvice = "get the patch again";

std::unexpected<Error> bad(const ByteSource& file, std::string place, std::string expected,
                           std::string found) {
  return damaged({.file = file.name(),
                  .place = std::move(place),
                  .expected = std::move(expected),
                  .found = std::move(found),
                  .advice = kAdvice});
}

template <typename Record>
void append(std::vector<std::byte>& bytes, const Record& record) {
  const auto added = std::as_bytes(std::span(&record, 1));
  bytes.insert(bytes.end(), added.begin(), added.end());
}

Result<PatchHeader> read_header(const ByteSource& file) {
  PatchHeader header;
  if (file.size_bytes() < sizeof(header))
    return bad(file, "", "a patch", fmt::format("{} bytes", file.size_bytes()));
  SKL_TRY_DO(file.read_at(0, std::as_writable_bytes(std::span(&header, 1))));
  if (header.magic != kPatchMagic) return bad(file, "", "a patch", "another file");
  if (header.major != kPatchMajor)
    return damaged({.file = file.name(),
                    .expected = fmt::format("a patch of version {}", kPatchMajor),
                    .found = fmt::to_string(header.major),
                    .advice = "use the seekless that made it"});
  if (header.checksum != XXH3_64bits(&header, offsetof(PatchHeader, checksum)))
    return bad(file, "header", "its checksum", "another");
  if (header.patch_bytes != file.size_bytes())
    return bad(file, "", fmt::format("{} bytes", header.patch_bytes),
               fmt::to_string(file.size_bytes()));
  if (header.is_single > 1 || header.table_offset_bytes < sizeof(header) ||
      header.table_offset_bytes > header.patch_bytes)
    return bad(file, "header", "fields in their ranges", "others");
  return header;
}

// Reads the tables, and checks that each part is there before using it.
class TableReader {
 public:
  TableReader(const ByteSource& file, const PatchHeader& header, std::span<const std::byte> bytes)
      : file_(file), header_(header), rest_(bytes) {}

  Result<Patch> read() {
    Patch patch = {header_.is_single == 1, header_.old_id, header_.new_id, {}, {}};
    SKL_TRY_DO(read_files(header_.old_files, patch.old_files));
    SKL_TRY_DO(read_files(header_.new_files, patch.new_files));
    for (size_t i = 0; i < patch.new_files.size(); ++i)
      SKL_TRY_DO(read_operations(patch, patch.new_files[i], counts_[patch.old_files.size() + i]));
    if (!rest_.empty()) return bad(file_, "tables", "their end", "more");
    find_namesakes(patch);
    SKL_TRY_DO(check_files(patch));
    return patch;
  }

 private:
  template <typename Record>
  bool take(Record& record) {
    if (rest_.size() < sizeof(record)) return false;
    std::memcpy(&record, rest_.data(), sizeof(record));
    rest_ = rest_.subspan(sizeof(record));
    return true;
  }

  Result<void> read_files(uint32_t count, std::vector<PatchedFile>& files) {
    if (count == 0 || count > kMostPatchFiles)
      return bad(file_, "header", "1 to 1000000 files", fmt::to_string(count));
    std::unordered_set<std::string> names;
    for (uint32_t i = 0; i < count; ++i) {
      PatchFileRecord record;
      if (!take(record) || record.name_bytes > kMostNameBytes || record.name_bytes > rest_.size())
        return bad(file_, "tables", "a record for each file", "their end");
      PatchedFile file;
      file.name.assign(reinterpret_cast<const char*>(rest_.data()), record.name_bytes);
      rest_ = rest_.subspan(record.name_bytes);
      // A name that isn't a pack's could lead out of the set's folder.
      if (!is_set_file_name(file.name) || !names.insert(file.name).second)
        return bad(file_, "tables", "different names of packs", fmt::format("'{}'", file.name));
      file.size_bytes = record.size_bytes;
      file.hash = record.hash;
      file.same_as = record.same_as;
      counts_.push_back(record.operations);
      files.push_back(std::move(file));
    }
    return {};
  }

  Result<void> read_operations(const Patch& patch, PatchedFile& file, uint64_t count) {
    uint64_t made_bytes = 0;
    for (uint64_t i = 0; i < count; ++i) {
      PatchOperation operation;
      if (!take(operation)) return bad(file_, "tables", "a record for each operation", "their end");
      if (!is_sound(patch, operation) || operation.size_bytes > file.size_bytes - made_bytes)
        return bad(file_, fmt::format("'{}', operation {}", file.name, i),
                   "bytes of an old file or of the patch", "a place beyond them");
      made_bytes += operation.size_bytes;
      file.operations.push_back(operation);
    }
    const bool is_old = file.same_as != kFromPatch;
    if (is_old ? count > 0 || file.same_as >= patch.old_files.size() ||
                     patch.old_files[file.same_as].size_bytes != file.size_bytes ||
                     patch.old_files[file.same_as].hash != file.hash
               : made_bytes != file.size_bytes)
      return bad(file_, fmt::format("'{}'", file.name), fmt::format("{} bytes", file.size_bytes),
                 "operations that make something else");
    return {};
  }

  bool is_sound(const Patch& patch, const PatchOperation& operation) const {
    if (operation.size_bytes == 0 || operation.reserved_zero != 0) return false;
    if (operation.file == kFromPatch)
      return operation.size_bytes <= kMostPieceBytes && operation.stored_bytes > 0 &&
             operation.stored_bytes <= operation.size_bytes &&
             operation.offset_bytes >= sizeof(PatchHeader) &&
             operation.offset_bytes <= header_.table_offset_bytes &&
             operation.stored_bytes <= header_.table_offset_bytes - operation.offset_bytes;
    if (operation.file >= patch.old_files.size() || operation.stored_bytes != 0) return false;
    const uint64_t size = patch.old_files[operation.file].size_bytes;
    return operation.offset_bytes <= size && operation.size_bytes <= size - operation.offset_bytes;
  }

  static void find_namesakes(Patch& patch) {
    std::unordered_map<std::string_view, uint32_t> old_numbers;
    for (uint32_t i = 0; i < patch.old_files.size(); ++i)
      old_numbers.emplace(patch.old_files[i].name, i);
    for (uint32_t i = 0; i < patch.new_files.size(); ++i) {
      const auto old = old_numbers.find(patch.new_files[i].name);
      if (old == old_numbers.end()) continue;
      patch.new_files[i].namesake = old->second;
      patch.old_files[old->second].namesake = i;
    }
  }

  // Checks that no file copies from an old file whose successor is made earlier: in place, the old
  // file would be gone.
  Result<void> check_files(const Patch& patch) const {
    if (patch.is_single && (patch.old_files.size() != 1 || patch.new_files.size() != 1))
      return bad(file_, "tables", "one pack", "several");
    std::vector<bool> replaced(patch.old_files.size());
    for (const PatchedFile& file : patch.new_files) {
      for (const PatchOperation& operation : file.operations)
        if (operation.file != kFromPatch && replaced[operation.file])
          return bad(file_, fmt::format("'{}'", file.name), "copies of files not replaced yet",
                     "another");
      if (file.namesake != kNoFile && file.same_as != file.namesake) replaced[file.namesake] = true;
    }
    for (const PatchedFile& file : patch.new_files)
      if (file.same_as != kFromPatch && patch.old_files[file.same_as].name != file.name)
        return bad(file_, fmt::format("'{}'", file.name), "a file that stays", "another");
    return {};
  }

  const ByteSource& file_;
  const PatchHeader& header_;
  std::span<const std::byte> rest_;
  std::vector<uint64_t> counts_;  // number of operations of each file
};

}  // namespace

Result<Patch> read_patch(const ByteSource& file) {
  SKL_TRY(const auto header, read_header(file));
  std::vector<std::byte> tables(file.size_bytes() - header.table_offset_bytes);
  SKL_TRY_DO(file.read_at(header.table_offset_bytes, tables));
  if (header.table_checksum != XXH3_64bits(tables.data(), tables.size()))
    return bad(file, "tables", "their checksum", "another");
  return TableReader(file, header, tables).read();
}

PatchTables build_patch_tables(const Patch& patch, uint64_t data_end_bytes) {
  PatchTables tables = {{.magic = kPatchMagic,
                         .major = kPatchMajor,
                         .minor = kPatchMinor,
                         .is_single = patch.is_single ? 1U : 0U,
                         .patch_bytes = 0,
                         .old_id = patch.old_id,
                         .new_id = patch.new_id,
                         .table_offset_bytes = data_end_bytes,
                         .old_files = static_cast<uint32_t>(patch.old_files.size()),
                         .new_files = static_cast<uint32_t>(patch.new_files.size()),
                         .operations = 0,
                         .table_checksum = 0,
                         .checksum = 0},
                        {}};
  for (const auto* files : {&patch.old_files, &patch.new_files})
    for (const PatchedFile& file : *files) {
      append(tables.bytes, PatchFileRecord{file.size_bytes, file.hash, file.operations.size(),
                                           static_cast<uint32_t>(file.name.size()), file.same_as});
      const auto name = std::as_bytes(std::span(file.name));
      tables.bytes.insert(tables.bytes.end(), name.begin(), name.end());
    }
  for (const PatchedFile& file : patch.new_files)
    for (const PatchOperation& operation : file.operations) {
      append(tables.bytes, operation);
      ++tables.header.operations;
    }
  tables.header.patch_bytes = data_end_bytes + tables.bytes.size();
  tables.header.table_checksum = XXH3_64bits(tables.bytes.data(), tables.bytes.size());
  tables.header.checksum = XXH3_64bits(&tables.header, offsetof(PatchHeader, checksum));
  return tables;
}

Result<void> read_piece(const ByteSource& patch, const PatchOperation& operation,
                        std::span<std::byte> into, std::vector<std::byte>& scratch) {
  scratch.resize(operation.stored_bytes);
  SKL_TRY_DO(patch.read_at(operation.offset_bytes, scratch));
  const std::string place = fmt::format("byte {}", operation.offset_bytes);
  if (XXH3_64bits(scratch.data(), scratch.size()) != operation.checksum)
    return bad(patch, place, "its checksum", "another");
  if (operation.stored_bytes == operation.size_bytes) {
    std::memcpy(into.data(), scratch.data(), scratch.size());
    return {};
  }
  const size_t size = ZSTD_decompress(into.data(), into.size(), scratch.data(), scratch.size());
  if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (ZSTD_isError(size) != 0 || size != into.size())
    return bad(patch, place, fmt::format("{} bytes", into.size()), "others, compressed");
  return {};
}

}  // namespace seekless
