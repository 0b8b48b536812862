#include "packer/pack/internal/block_writer.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <lz4.h>

#include "packer/base/hasher.h"
#include "packer/base/in_parallel.h"

namespace seekless {
namespace {

// A thread reads this much before it writes. A hard disk takes about 25 ms to move from the input
// to the output and back, and could have read 4 MiB in that time.
constexpr uint64_t kBatchBytes = 8 << 20;
// All threads together hold at most this much, unless blocks are too large for that.
constexpr uint64_t kMostKeptBytes = 32 << 20;

uint64_t batch_bytes_of(const BlockWork& work, std::span<const format::Block> blocks) {
  const uint64_t most = std::min(kBatchBytes, kMostKeptBytes / std::max(work.threads, 1U));
  const uint64_t least = format::round_up(work.block_bytes, format::kPageBytes);
  uint64_t all = 0;
  for (const format::Block& block : blocks)
    all += format::round_up(block.raw_bytes, format::kPageBytes);
  return std::min(format::round_up(std::max(most, least), format::kPageBytes), all);
}

// A frame is stored as LZ4 only if that saves a sixteenth of it; less isn't worth decoding.
constexpr size_t kLeastSavedShare = 16;

// Compresses each frame alone, and stores the frames one after the other. Returns their length.
// LZ4_compress_default would use another table for input of 64 KiB or less, which compresses
// structured content worse: the maps of OpenArena by 6 %.
size_t compress_frames(std::span<const std::byte> raw, std::span<format::Frame> frames,
                       LZ4_stream_t& stream, std::span<std::byte> into) {
  size_t at = 0;
  for (format::Frame& frame : frames) {
    const auto part = raw.first(std::min<size_t>(raw.size(), format::kDefaultFrameBytes));
    raw = raw.subspan(part.size());
    LZ4_initStream(&stream, sizeof(stream));
    const size_t most = part.size() - part.size() / kLeastSavedShare - 1;
    const int size =
        LZ4_compress_fast_continue(&stream, reinterpret_cast<const char*>(part.data()),
                                   reinterpret_cast<char*>(into.data() + at),
                                   static_cast<int>(part.size()), static_cast<int>(most), 1);
    if (size <= 0) std::ranges::copy(part, into.begin() + at);
    const size_t stored_bytes = size > 0 ? size : part.size();
    frame = {XXH3_64bits(into.data() + at, stored_bytes), static_cast<uint32_t>(at),
             static_cast<uint32_t>(stored_bytes)};
    at += stored_bytes;
  }
  return at;
}

// Describes the frames of a block that is stored uncompressed.
void frame_raw(std::span<const std::byte> raw, std::span<format::Frame> frames) {
  size_t at = 0;
  for (format::Frame& frame : frames) {
    const size_t size = std::min<size_t>(raw.size() - at, format::kDefaultFrameBytes);
    frame = {XXH3_64bits(raw.data() + at, size), static_cast<uint32_t>(at),
             static_cast<uint32_t>(size)};
    at += size;
  }
}

}  // namespace

// Describes an asset whose rest will be read into the following blocks.
struct BlockWriter::Carried {
  uint32_t asset = 0;
  std::unique_ptr<AssetStream> stream;
  uint64_t left_bytes = 0;
  Hasher128 hash;
};

struct BlockWriter::Memory {
  // Data that bypasses the page cache must begin at a page.
  struct alignas(format::kPageBytes) Page {
    std::byte bytes[format::kPageBytes];
  };

  std::vector<Page> batch;
  uint64_t kept_bytes = 0;       // finished blocks at the front of the batch
  size_t first = 0;              // the first of these blocks
  size_t end = 0;                // one past the last of these blocks
  std::vector<std::byte> block;  // the block to be compressed
  LZ4_stream_t stream;
  std::unique_ptr<Carried> carried;

  std::span<std::byte> free() {
    return std::as_writable_bytes(std::span(batch)).subspan(kept_bytes);
  }
};

bool Turns::wait_for(size_t block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return block >= end_ || next_ == block; });
  return block < end_;
}

void Turns::done_with(size_t block) {
  const std::lock_guard lock(mutex_);
  next_ = block + 1;
  changed_.notify_all();
}

void Turns::stop_at(size_t block) {
  const std::lock_guard lock(mutex_);
  end_ = std::min(end_, block);
  changed_.notify_all();
}

BlockWriter::BlockWriter(const BlockWork& work)
    : work_(work),
      next_offset_(work.plan.data_offset_bytes),
      blocks_(raw_blocks(work.plan)),
      hashes_(work.pack.assets.size()) {
  // A compressed block gets its place when it is written.
  if (work_.codec == format::Codec::raw) next_offset_ = end_of(work.plan, blocks_);
  if (work_.codec != format::Codec::raw) number_frames();
  batch_bytes_ = batch_bytes_of(work_, blocks_);
  find_units();
}

void BlockWriter::number_frames() {
  frames_.resize(frame_count(work_.plan.placement));
  uint32_t next = 0;
  for (format::Block& block : blocks_) {
    block.first_frame = next;
    next += format::frames_in(block.raw_bytes, format::kDefaultFrameBytes);
  }
}

std::span<format::Frame> BlockWriter::frames_of(size_t block) {
  return std::span(frames_).subspan(
      blocks_[block].first_frame,
      format::frames_in(blocks_[block].raw_bytes, format::kDefaultFrameBytes));
}

// If no block was compressed, the pack is a raw one: its assets lie in one piece each.
void BlockWriter::drop_frames_of_raw_blocks() {
  const bool is_raw = std::ranges::all_of(
      blocks_, [](const format::Block& block) { return block.stored_bytes == block.raw_bytes; });
  if (!is_raw) return;
  frames_.clear();
  for (format::Block& block : blocks_) block.first_frame = 0;
}

void BlockWriter::find_units() {
  std::vector<char> continues(blocks_.size(), 0);
  for (size_t i = 0; i < work_.pack.assets.size(); ++i) {
    const uint64_t size = work_.pack.assets[i].size_bytes;
    for (uint64_t k = 1; k * work_.block_bytes < size; ++k)
      continues[work_.plan.placement.places[i].block + k] = 1;
  }
  uint64_t unit_bytes = 0;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const uint64_t bytes = format::round_up(blocks_[i].raw_bytes, format::kPageBytes);
    if (units_.empty() || (continues[i] == 0 && unit_bytes + bytes > batch_bytes_)) {
      units_.push_back({i, i});
      unit_bytes = 0;
    }
    units_.back().end = i + 1;
    unit_bytes += bytes;
  }
}

Result<void> BlockWriter::run() {
  on_threads(
      std::min<size_t>(work_.threads, units_.size()), [this](size_t) { work_on_units(); }, [] {});
  if (error_) return std::unexpected(*error_);
  drop_frames_of_raw_blocks();
  for (size_t i = 0; i < hashes_.size(); ++i)
    hashes_[i] =
        work_.pack.assets[i].size_bytes == 0 ? hash_of_content({}) : hashes_[work_.plan.same_as[i]];
  return {};
}

void BlockWriter::work_on_units() {
  size_t unit = 0;
  // An exception that leaves a thread would end the program, or let the others wait for a turn
  // forever.
  try {
    Memory memory;
    memory.batch.resize(batch_bytes_ / format::kPageBytes);
    if (work_.codec == format::Codec::lz4) memory.block.resize(work_.block_bytes);
    while ((unit = next_unit_.fetch_add(1)) < units_.size())
      if (auto written = write_unit(unit, memory); !written) return stop(unit, written.error());
  } catch (const std::exception& exception) {
    stop(unit, to_error(exception));
  }
}

Result<void> BlockWriter::write_unit(size_t unit, Memory& memory) {
  for (size_t block = units_[unit].first; block < units_[unit].end; ++block) {
    if (unit > error_unit_.load()) return {};
    SKL_TRY_DO(write_block(block, memory));
  }
  return write_kept(memory);
}

void BlockWriter::stop(size_t unit, const Error& error) {
  {
    const std::lock_guard lock(error_mutex_);
    if (unit < error_unit_) {
      error_ = error;
      error_unit_ = unit;
    }
  }
  if (unit < units_.size()) turns_.stop_at(units_[unit].first);
}

Result<void> BlockWriter::write_block(size_t index, Memory& memory) {
  const uint32_t raw_bytes = blocks_[index].raw_bytes;
  if (format::round_up(raw_bytes, format::kPageBytes) > memory.free().size())
    SKL_TRY_DO(write_kept(memory));
  const bool compressed = work_.codec == format::Codec::lz4;
  const auto raw = (compressed ? std::span(memory.block) : memory.free()).first(raw_bytes);
  SKL_TRY_DO(fill_block(index, raw, memory));
  if (compressed)
    compress_block(index, raw, memory);
  else
    keep_block(index, raw_bytes, memory);
  return {};
}

Result<void> BlockWriter::fill_block(size_t index, std::span<std::byte> raw, Memory& memory) {
  size_t filled = 0;
  if (memory.carried) {
    filled = std::min<uint64_t>(memory.carried->left_bytes, raw.size());
    SKL_TRY_DO(read_carried(memory, raw.first(filled)));
  }
  for (size_t at = blocks_[index].first_asset; at < work_.plan.placement.order.size(); ++at) {
    const uint32_t asset = work_.plan.placement.order[at];
    const AssetPlace& place = work_.plan.placement.places[asset];
    if (place.block != index) break;
    const uint64_t size = work_.pack.assets[asset].size_bytes;
    if (work_.plan.same_as[asset] != asset || size == 0) continue;
    std::ranges::fill(raw.subspan(filled, place.offset_bytes - filled), std::byte{0});
    const uint64_t length = std::min<uint64_t>(size, raw.size() - place.offset_bytes);
    SKL_TRY_DO(read_asset(asset, raw.subspan(place.offset_bytes, length), memory));
    filled = place.offset_bytes + length;
  }
  std::ranges::fill(raw.subspan(filled), std::byte{0});  // This is a hole in the layout.
  return {};
}

// Reads the whole asset, or its first part; the rest then goes to the next block.
Result<void> BlockWriter::read_asset(uint32_t asset, std::span<std::byte> into, Memory& memory) {
  SKL_TRY(auto stream, work_.content.open(ref_of(work_.pack.assets[asset])));
  if (into.size() == work_.pack.assets[asset].size_bytes) {
    SKL_TRY_DO(read_exactly(*stream, into));
    hashes_[asset] = hash_of_content(into);
    return {};
  }
  memory.carried = std::make_unique<Carried>();
  memory.carried->asset = asset;
  memory.carried->stream = std::move(stream);
  memory.carried->left_bytes = work_.pack.assets[asset].size_bytes;
  return read_carried(memory, into);
}

Result<void> BlockWriter::read_carried(Memory& memory, std::span<std::byte> into) {
  Carried& carried = *memory.carried;
  SKL_TRY_DO(read_exactly(*carried.stream, into));
  carried.hash.add(into);
  carried.left_bytes -= into.size();
  if (carried.left_bytes > 0) return {};
  hashes_[carried.asset] = carried.hash.digest();
  memory.carried.reset();
  return {};
}

Result<void> BlockWriter::read_exactly(AssetStream& stream, std::span<std::byte> into) const {
  if (work_.done_bytes != nullptr) *work_.done_bytes += into.size();
  while (!into.empty()) {
    const auto got = stream.read(into);  // never 0: the stream knows the size, and fails instead
    if (!got) return std::unexpected(got.error());
    into = into.subspan(*got);
  }
  return {};
}

void BlockWriter::compress_block(size_t index, std::span<const std::byte> raw, Memory& memory) {
  const auto frames = frames_of(index);
  size_t size = compress_frames(raw, frames, memory.stream, memory.free());
  if (size > most_compressed_bytes(raw.size())) {
    std::ranges::copy(raw, memory.free().begin());
    frame_raw(raw, frames);
    size = raw.size();
  }
  keep_block(index, static_cast<uint32_t>(size), memory);
}

// The block's bytes lie in front of the free ones.
void BlockWriter::keep_block(size_t index, uint32_t stored_bytes, Memory& memory) {
  const auto extent = memory.free().first(format::round_up(stored_bytes, format::kPageBytes));
  std::ranges::fill(extent.subspan(stored_bytes), std::byte{0});
  blocks_[index].stored_bytes = stored_bytes;
  blocks_[index].checksum = XXH3_64bits(extent.data(), extent.size());
  if (memory.kept_bytes == 0) memory.first = index;
  memory.kept_bytes += extent.size();
  memory.end = index + 1;
}

Result<void> BlockWriter::write_kept(Memory& memory) {
  if (memory.kept_bytes == 0) return {};
  if (work_.codec != format::Codec::raw) {
    if (!turns_.wait_for(memory.first)) return {};
    for (size_t i = memory.first; i < memory.end; ++i) {
      blocks_[i].offset_bytes = next_offset_;
      next_offset_ += format::round_up(blocks_[i].stored_bytes, format::kPageBytes);
    }
    turns_.done_with(memory.end - 1);
  }
  const auto bytes =
      std::as_bytes(std::span(memory.batch)).first(std::exchange(memory.kept_bytes, 0));
  return work_.file.write_at(blocks_[memory.first].offset_bytes, bytes);
}

}  // namespace seekless
