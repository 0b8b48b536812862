#include "runtime/read_asset.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/mapped_pack.h"
#include "runtime/xxh3.h"

namespace seekless::runtime {
namespace {

// Memory for frames, taken from the budget if that has room.
class FrameMemory {
 public:
  // Throws std::bad_alloc.
  FrameMemory(const Pack& pack, size_t size_bytes, DecodedFrames* decoded) {
    if (decoded != nullptr) pooled_.reset(decoded->pool().acquire(size_bytes));
    if (pooled_ == nullptr) own_ = TableMemory(size_bytes, pack.memory());
  }
  std::span<std::byte> bytes() const {
    return pooled_ != nullptr ? pooled_->bytes() : own_.bytes();
  }
  Buffer take() { return std::move(pooled_); }

 private:
  Buffer pooled_;
  TableMemory own_;
};

// A part of one frame.
struct FramePart {
  uint32_t frame;  // its number in the block
  uint64_t start_bytes;
  std::span<std::byte> into;

  uint64_t end_bytes() const { return start_bytes + into.size(); }
};

// A part of one block.
struct BlockPart {
  const Pack& pack;
  uint32_t block;
  uint64_t start_bytes;
  std::span<std::byte> into;

  uint64_t frame_bytes() const { return pack.header().frame_bytes; }
  uint32_t first_frame() const { return static_cast<uint32_t>(start_bytes / frame_bytes()); }
  uint32_t end_frame() const {
    return static_cast<uint32_t>((start_bytes + into.size() - 1) / frame_bytes()) + 1;
  }
  uint32_t number_in_pack(uint32_t frame) const { return pack.blocks()[block].first_frame + frame; }
  FramePart in(uint32_t frame) const {
    const uint64_t begin = frame * frame_bytes();
    const uint64_t from = std::max(begin, start_bytes);
    const uint64_t to = std::min(begin + frame_bytes(), start_bytes + into.size());
    return {frame, from - begin, into.subspan(from - start_bytes, to - from)};
  }
};

void copy(std::span<const std::byte> raw, const FramePart& part, DecodedFrames* decoded) {
  if (decoded != nullptr) add(decoded->copied_bytes, part.into.size());
  // In a library compiled for size, std::copy would copy byte by byte.
  std::memcpy(part.into.data(), raw.data() + part.start_bytes, part.into.size());
}

// Returns false if the wanted part of the frame isn't cached.
bool copy_kept(const BlockPart& of, uint32_t frame, DecodedFrames* decoded) {
  if (decoded == nullptr) return false;
  const FramePart part = of.in(frame);
  const Buffer held = decoded->find(of.pack.id(), of.number_in_pack(frame), part.end_bytes());
  if (held == nullptr) return false;
  copy(held->bytes(), part, decoded);
  return true;
}

// Decodes a frame straight into the caller's memory if all of it is wanted. Otherwise, bytes after
// the wanted part are decoded only at the second request for the frame.
Result<void> decode_frame(const BlockPart& of, uint32_t frame, std::span<const std::byte> stored,
                          DecodedFrames* decoded) {
  const FramePart part = of.in(frame);
  const uint64_t all_bytes = of.pack.raw_bytes_of(of.block, frame);
  if (part.into.size() == all_bytes)
    return of.pack.decode_frame(of.block, frame, stored, part.into);
  const uint32_t number = of.number_in_pack(frame);
  const bool is_asked_again = decoded != nullptr && decoded->has(of.pack.id(), number);
  FrameMemory memory(of.pack, of.frame_bytes(), decoded);
  const auto raw = memory.bytes().first(is_asked_again ? all_bytes : part.end_bytes());
  if (auto read = of.pack.decode_frame(of.block, frame, stored, raw); !read) return read;
  copy(raw, part, decoded);
  if (Buffer pooled = memory.take())
    decoded->keep(of.pack.id(), number, raw.size(), std::move(pooled));
  return {};
}

// Reads the part's frames in one go, except cached frames at either end.
Result<void> read_part(const BlockPart& part, DecodedFrames* decoded) {
  uint32_t first = part.first_frame();
  uint32_t end = part.end_frame();
  while (first < end && copy_kept(part, first, decoded)) ++first;
  while (first < end && copy_kept(part, end - 1, decoded)) --end;
  if (first == end) return {};
  const auto frames = part.pack.frames_of(part.block).subspan(first, end - first);
  const uint64_t begin = frames.front().offset_bytes;
  const uint64_t length = frames.back().offset_bytes + frames.back().stored_bytes - begin;
  // Uses few different sizes, because buffers of the same size are reused.
  const uint64_t scratch_bytes = std::min<uint64_t>(
      part.pack.header().block_bytes, std::bit_ceil(format::round_up(length, part.frame_bytes())));
  const FrameMemory scratch(part.pack, scratch_bytes, decoded);
  const auto stored = scratch.bytes().first(length);
  if (auto read = part.pack.read_frames(part.block, first, end - first, stored); !read) return read;
  for (uint32_t i = first; i < end; ++i) {
    const format::Frame& frame = frames[i - first];
    if (auto decoded_it = decode_frame(
            part, i, stored.subspan(frame.offset_bytes - begin, frame.stored_bytes), decoded);
        !decoded_it)
      return decoded_it;
  }
  return {};
}

// Fills `into` from a pack whose blocks must be decoded.
Result<void> read_decoded(const Pack& pack, const format::Asset& asset, uint64_t offset_bytes,
                          std::span<std::byte> into, DecodedFrames* decoded) {
  const uint64_t block_bytes = pack.header().block_bytes;
  uint64_t at = offset_in_block(asset) + offset_bytes;
  while (!into.empty()) {
    const auto block = asset.block + static_cast<uint32_t>(at / block_bytes);
    const uint64_t start = at % block_bytes;
    const uint64_t length = std::min<uint64_t>(pack.blocks()[block].raw_bytes - start, into.size());
    if (auto read = read_part({pack, block, start, into.first(length)}, decoded); !read)
      return read;
    into = into.subspan(length);
    at += length;
  }
  return {};
}

Result<void> compare(const PlacedAsset& asset, const format::ContentHash& expected,
                     std::span<const std::byte> content) {
  XXH128_canonical_t found;
  XXH128_canonicalFromHash(&found, widest_xxh3_128(content.data(), content.size()));
  if (std::memcmp(found.digest, expected.data(), expected.size()) == 0) return {};
  const uint32_t block = asset.record().block;
  const uint64_t offset = asset.pack->blocks()[block].offset_bytes;
  return damaged({asset.pack->file().name(), ": asset '", name_of(asset), "' in block ", block,
                  " at byte ", offset, ": expected content of its hash, found other bytes"},
                 offset);
}

}  // namespace

std::string name_of(const PlacedAsset& asset) {
  const auto path = asset.pack->path(asset.index);
  return path ? *path : join({"#", asset.index});
}

Result<void> check_content(const PlacedAsset& asset, std::span<const std::byte> content) {
  const auto expected = asset.pack->content_hash(asset.index);
  if (!expected) return std::unexpected(expected.error());
  return compare(asset, *expected, content);
}

Result<void> read_asset(const PlacedAsset& asset, uint64_t offset_bytes, std::span<std::byte> into,
                        DecodedFrames* decoded) {
  const format::Asset& record = asset.record();
  const Pack& pack = *asset.pack;
  if (into.empty()) return {};
  // The hashes are read first, because they lie before the data.
  const bool is_whole = into.size() == record.size_bytes;
  const auto hashes = is_whole ? pack.content_hashes() : std::span<const format::ContentHash>();
  if (!hashes) return std::unexpected(hashes.error());
  // The processor fetches the hash while the system reads.
  if (is_whole) __builtin_prefetch(&(*hashes)[asset.index]);
  const auto read = pack.has_compressed_blocks()
                        ? read_decoded(pack, record, offset_bytes, into, decoded)
                        : pack.file().read_at(offset_in_file(pack, record) + offset_bytes, into);
  if (!read) return read;
  if (is_whole) return compare(asset, (*hashes)[asset.index], into);
  return {};
}

Result<std::span<const std::byte>> map_asset(const PlacedAsset& asset, uint64_t now) {
  const Pack& pack = *asset.pack;
  const format::Asset& record = asset.record();
  if (record.size_bytes == 0) return std::span<const std::byte>();
  const auto mapped = pack.mapped();
  if (!mapped) return std::unexpected(mapped.error());
  const FileMap& map = (*mapped)->map;
  const uint64_t offset = offset_in_file(pack, record);
  std::atomic<uint64_t>& checked = (*mapped)->checked[asset.index / MappedPack::kBits];
  const uint64_t bit = uint64_t{1} << (asset.index % MappedPack::kBits);
  const bool is_checked = (checked.load(std::memory_order_relaxed) & bit) != 0;
  if (is_checked && !map.has_changed(now)) return map.bytes(offset, record.size_bytes);
  // Prefetches in one long read, because page faults would read page by page.
  pack.file().will_need(offset, record.size_bytes);
  auto content = map.bring(offset, record.size_bytes);
  if (!content) return content;
  if (auto right = check_content(asset, *content); !right) return std::unexpected(right.error());
  checked.fetch_or(bit, std::memory_order_relaxed);
  return content;
}

}  // namespace seekless::runtime
