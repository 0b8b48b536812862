// Builds the header and the tables of a .skl file from records, for packs and catalogs.
// runtime/pack_format.h describes the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "runtime/pack_format.h"

namespace seekless {

// Builds the hash table of paths; `path_hashes` are in the order of the assets, without
// repetitions. Fails if lookups would take long, which only happens with crafted paths.
Result<std::vector<format::Slot>> build_slots(std::span<const uint64_t> path_hashes);

// Holds the names section: paths in the order of the assets, in compressed chunks.
struct Names {
  std::vector<std::byte> bytes;
  uint64_t chunk_count = 0;
};
Names build_names(std::span<const std::string_view> paths);

// Returns the length of a section that holds `size_bytes`.
inline uint64_t section_bytes(uint64_t size_bytes) {
  return format::round_up(size_bytes, format::kSectionAlignmentBytes);
}

// Holds the header and sections at the front of a file. Sections are added in the order of their
// kinds' enum.
class TableFile {
 public:
  explicit TableFile(format::FileKind kind) { header_.kind = kind; }

  format::Header& header() { return header_; }

  // Reserves memory, so that adding sections up to this size moves none of them.
  void reserve(uint64_t size_bytes) { bytes_.reserve(size_bytes); }

  template <typename Record>
  void add(std::span<const Record> records) {
    add_bytes(std::as_bytes(records), records.size());
  }
  void add_bytes(std::span<const std::byte> bytes, uint64_t record_count);
  // Lengthens the last section, so that the next bytes begin at a multiple of `alignment_bytes`.
  void pad_to(uint64_t alignment_bytes);

  // Fills in the checksums. The file's size must be in the header. Returns the header's checksum,
  // which identifies the file.
  uint64_t seal();
  // Seals everything and writes it to the front of `file`.
  Result<uint64_t> write(const PendingFile& file);
  // Returns the front of the file, once it is sealed.
  std::vector<std::byte> take_bytes() { return std::move(bytes_); }

  uint64_t size_bytes() const { return bytes_.size(); }

 private:
  format::Header header_ = {
      .magic = format::kMagic, .major = format::kMajor, .minor = format::kMinor};
  std::vector<std::byte> bytes_ = std::vector<std::byte>(sizeof(format::Header));
};

// Returns the smallest seed with which no two of these paths have the same hash. `hash` is
// hash_asset_path, except in tests. Fails, naming two paths, if 64 seeds don't help; that only
// happens with crafted paths or a repeated path.
using PathHash = uint64_t (*)(std::string_view path, uint64_t seed, bool fold);
Result<uint64_t> choose_hash_seed(std::span<const std::string_view> paths, bool fold,
                                  PathHash hash);

}  // namespace seekless
