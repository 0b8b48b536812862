#include "runtime/tables.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "runtime/xxh3.h"

namespace seekless::runtime {
namespace {

using format::Header;

// Tables are read in pieces of this size and hashed while a piece is still in the processor's
// cache.
constexpr size_t kReadAtOnceBytes = 256 * 1024;

// Large tables are aligned to large pages: with a million assets, the system took half of the
// opening time to hand out small pages one by one.
constexpr size_t kLargePageBytes = size_t{2} * 1024 * 1024;
constexpr size_t kLargeTableBytes = 2 * kLargePageBytes;

std::string hex(uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = kDigits[(value >> (60 - 4 * i)) & 15];
  return text;
}

// A row of more than kLongestRow slots contains a full chunk, even if it wraps from the end to the
// front. So valid_slots() measures rows only if it has found a full chunk.
constexpr size_t kSlotsPerChunk = 512;
static_assert(format::kLongestRow >= 3 * kSlotsPerChunk);

bool is_empty(const format::Slot& slot) {
  return slot.index == format::kEmptySlot;
}

size_t longest_row(std::span<const format::Slot> slots) {
  // A row at the end of the table continues at the front.
  auto row =
      static_cast<size_t>(std::find_if(slots.rbegin(), slots.rend(), is_empty) - slots.rbegin());
  size_t longest = row;
  for (const format::Slot& slot : slots) {
    row = is_empty(slot) ? 0 : row + 1;
    longest = std::max(longest, row);
  }
  return longest;
}

Result<void> check_sections(const File& file, const Header& header) {
  const size_t expected_count =
      header.kind == format::FileKind::pack ? format::kPackSections : format::kCatalogSections;
  if (header.section_count != expected_count)
    return bad_table(file, {"header"}, {expected_count, " sections"}, {header.section_count});
  uint64_t next = sizeof(Header);
  for (size_t i = 0; i < header.section_count; ++i) {
    const format::Section& section = header.sections[i];
    if (section.offset_bytes != next || section.offset_bytes % format::kSectionAlignmentBytes != 0)
      return bad_table(file, {"section ", i}, {"its start at byte ", next}, {section.offset_bytes});
    if (section.offset_bytes > header.file_bytes ||
        section.size_bytes > header.file_bytes - section.offset_bytes)
      return bad_table(file, {"section ", i}, {"its end within ", header.file_bytes, " bytes"},
                       {section.size_bytes, " bytes from byte ", section.offset_bytes});
    next += section.size_bytes;
  }
  const auto is_zero = [](auto byte) { return static_cast<uint8_t>(byte) == 0; };
  const auto unused = std::as_bytes(std::span(header.sections).subspan(header.section_count));
  const bool has_stray_frames = header.kind == format::FileKind::catalog && header.frame_bytes != 0;
  if (header.reserved_zero != 0 || has_stray_frames ||
      !std::ranges::all_of(header.more_reserved_zero, is_zero) ||
      !std::ranges::all_of(unused, is_zero))
    return bad_table(file, {"header"}, {"zero in reserved fields"}, {"something else"});
  return {};
}

}  // namespace

std::unexpected<Error> bad_table(const File& file, Parts place, Parts expected, Parts found,
                                 uint64_t offset_bytes) {
  return damaged({file.name(), ": ", join(place), ": expected ", join(expected), ", found ",
                  join(found), "; pack it again or fetch it anew"},
                 offset_bytes);
}

Result<Header> read_header(const File& file) {
  Header header;
  if (file.size_bytes() < sizeof(header))
    return bad_table(file, {"header"}, {sizeof(header), " bytes"},
                     {"a file of ", file.size_bytes()}, 0);
  if (auto read = file.read_at(0, std::as_writable_bytes(std::span(&header, 1))); !read)
    return std::unexpected(read.error());
  if (header.magic != format::kMagic)
    return bad_table(file, {"header"}, {"the signature of a .skl file"}, {"other bytes"}, 0);
  if (header.major != format::kMajor)
    return make_error(
        SKL_UNSUPPORTED,
        {file.name(), ": header: expected format version ", format::kMajor, ", found ",
         header.major, ".", header.minor, "; it was made by another version of seekless"},
        0, offsetof(Header, major));
  const uint64_t checksum = XXH3_64bits(&header, offsetof(Header, checksum));
  if (checksum != header.checksum)
    return bad_table(file, {"header"}, {"checksum ", hex(header.checksum)}, {hex(checksum)}, 0);
  if (header.kind != format::FileKind::pack && header.kind != format::FileKind::catalog)
    return bad_table(file, {"header"}, {"a pack or a catalog"},
                     {"kind ", std::to_underlying(header.kind)});
  const uint32_t known_flags =
      format::kFoldCase | (header.kind == format::FileKind::catalog ? format::kNeedRuns : 0);
  if ((header.required_flags & ~known_flags) != 0)
    return make_error(SKL_UNSUPPORTED,
                      {file.name(), ": header: found feature flags ", hex(header.required_flags),
                       " that this version doesn't know; update seekless"},
                      0, offsetof(Header, required_flags));
  if (header.file_bytes != file.size_bytes())
    return bad_table(file, {"header"}, {"a file of ", header.file_bytes, " bytes"},
                     {file.size_bytes()}, offsetof(Header, file_bytes));
  if (auto checked = check_sections(file, header); !checked)
    return std::unexpected(checked.error());
  return header;
}

TableMemory::TableMemory(uint64_t size_bytes, const Memory& memory)
    : memory_(memory), size_bytes_(static_cast<size_t>(size_bytes)) {
  const size_t alignment = size_bytes < kLargeTableBytes ? format::kPageBytes : kLargePageBytes;
  if (size_bytes > SIZE_MAX - alignment) throw std::bad_alloc();
  allocated_bytes_ = format::round_up(std::max<size_t>(size_bytes_, 1), alignment);
  bytes_ = static_cast<std::byte*>(memory_.allocate(allocated_bytes_, alignment));
  if (alignment == kLargePageBytes) will_fill({bytes_, allocated_bytes_});
}

TableMemory::~TableMemory() {
  memory_.release(bytes_, allocated_bytes_);
}

void TableMemory::swap(TableMemory& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(allocated_bytes_, other.allocated_bytes_);
}

Result<TableMemory> read_sections(const File& file, const Header& header, size_t first, size_t last,
                                  std::span<const char* const> names, const Memory& memory) {
  const uint64_t start = header.sections[first].offset_bytes;
  const uint64_t end = header.sections[last].offset_bytes + header.sections[last].size_bytes;
  TableMemory sections(end - start, memory);
  for (size_t i = first; i <= last; ++i) {
    const format::Section& section = header.sections[i];
    std::span<std::byte> rest =
        sections.bytes().subspan(section.offset_bytes - start, section.size_bytes);
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (uint64_t offset = section.offset_bytes; !rest.empty();) {
      const auto piece = rest.first(std::min(rest.size(), kReadAtOnceBytes));
      if (auto read = file.read_at(offset, piece); !read) return std::unexpected(read.error());
      widest_xxh3_64_update(&state, piece.data(), piece.size());
      offset += piece.size();
      rest = rest.subspan(piece.size());
    }
    const uint64_t checksum = XXH3_64bits_digest(&state);
    if (checksum != section.checksum)
      return bad_table(file, {"table of ", names[i], " at byte ", section.offset_bytes},
                       {"checksum ", hex(section.checksum)}, {hex(checksum)}, section.offset_bytes);
  }
  return sections;
}

bool valid_slots(std::span<const format::Slot> slots, size_t asset_count) {
  // A search ends only at an empty slot, so there must be one.
  if (asset_count > INT32_MAX || slots.size() <= asset_count || slots.size() > UINT32_MAX)
    return false;
  uint64_t used = 0;
  bool in_range = true;
  bool has_full_chunk = false;
  for (size_t at = 0; at < slots.size(); at += kSlotsPerChunk) {
    const auto chunk = slots.subspan(at, std::min(kSlotsPerChunk, slots.size() - at));
    uint32_t used_here = 0;
    for (const format::Slot& slot : chunk) {
      const bool empty = is_empty(slot);
      used_here += empty ? 0 : 1;
      in_range &= empty || slot.index < asset_count;
    }
    used += used_here;
    has_full_chunk |= used_here == kSlotsPerChunk;
  }
  return in_range && used == asset_count &&
         (!has_full_chunk || longest_row(slots) <= format::kLongestRow);
}

}  // namespace seekless::runtime
