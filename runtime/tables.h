// Reads the header and the tables of a .skl file, which is untrusted: nothing is used before its
// checksum, bounds and cross-references have been checked. Packs and catalogs share this code.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/memory.h"
#include "runtime/message.h"
#include "runtime/pack_format.h"

namespace seekless::runtime {

// Reads and checks the header of either kind of file: magic, version, checksum, sizes, and that the
// sections lie one after the other inside the file.
Result<format::Header> read_header(const File& file);

// The bytes of one or more sections, aligned so that every table in them can be used in place.
class TableMemory {
 public:
  TableMemory() = default;
  // The allocator of `memory` must outlive it. Throws std::bad_alloc, also if the size, which has
  // 64 bits in files, exceeds size_t.
  explicit TableMemory(uint64_t size_bytes, const Memory& memory = {});
  TableMemory(TableMemory&& other) noexcept { swap(other); }
  TableMemory& operator=(TableMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~TableMemory();
  std::span<std::byte> bytes() const { return {bytes_, size_bytes_}; }

 private:
  void swap(TableMemory& other) noexcept;

  Memory memory_;
  std::byte* bytes_ = nullptr;
  size_t size_bytes_ = 0;
  size_t allocated_bytes_ = 0;
};

// Reads sections `first` to `last` in one read and checks each one's checksum. `names` are the
// sections' names for messages.
Result<TableMemory> read_sections(const File& file, const format::Header& header, size_t first,
                                  size_t last, std::span<const char* const> names,
                                  const Memory& memory);

// Returns true if the section has the size of its fixed-size records, including padding.
template <typename Record>
bool holds_its_records(const format::Section& section) {
  const uint64_t most = section.size_bytes / sizeof(Record);
  return section.record_count <= most &&
         format::round_up(section.record_count * sizeof(Record), format::kSectionAlignmentBytes) ==
             section.size_bytes;
}

// Returns the records of `section` in `memory`, which holds the sections from `first` on. The
// section must contain its records, so their number fits in size_t.
template <typename Record>
std::span<const Record> table(const TableMemory& memory, const format::Header& header, size_t first,
                              size_t section) {
  const uint64_t offset =
      header.sections[section].offset_bytes - header.sections[first].offset_bytes;
  return {reinterpret_cast<const Record*>(memory.bytes().data() + offset),
          static_cast<size_t>(header.sections[section].record_count)};
}

// Returns true if each slot is empty or has a valid asset, the number of used slots equals the
// number of assets, and no search is long.
bool valid_slots(std::span<const format::Slot> slots, size_t asset_count);

// Looks up a hash; calls `hash_of(index)` for each candidate. Returns kEmptySlot if there is none.
template <typename HashOf>
uint32_t find_in_slots(std::span<const format::Slot> slots, uint64_t path_hash, HashOf hash_of) {
  const auto count = static_cast<uint32_t>(slots.size());
  const auto tag = static_cast<uint32_t>(path_hash);
  uint32_t at = format::home_slot(path_hash, count);
  for (uint32_t looked_at = 0; looked_at < count; ++looked_at) {
    const format::Slot slot = slots[at];
    if (slot.index == format::kEmptySlot) break;
    if (slot.tag == tag && hash_of(slot.index) == path_hash) return slot.index;
    if (++at == count) at = 0;
  }
  return format::kEmptySlot;
}

// Makes the error "FILE: PLACE: expected EXPECTED, found FOUND" with the result DAMAGED.
std::unexpected<Error> bad_table(const File& file, Parts place, Parts expected, Parts found,
                                 uint64_t offset_bytes = kNoOffset);

}  // namespace seekless::runtime
