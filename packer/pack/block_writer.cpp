#include "packer/pack/block_writer.h"

#include <algorithm>
#include <exception>
#include <thread>

#include <lz4.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "packer/pack/content_hash.h"

namespace seekless {
namespace {

AssetRef ref_of(const LaidAsset& asset) {
  return {asset.path, asset.source, asset.entry, asset.size_bytes, asset.crc32};
}

}  // namespace

// An asset of which a part is still to be read, into the blocks that follow.
struct BlockWriter::Carried {
  uint32_t asset = 0;
  std::unique_ptr<AssetStream> stream;
  uint64_t left_bytes = 0;
  XXH3_state_t hash;
};

struct BlockWriter::Memory {
  std::vector<std::byte> block;
  std::vector<std::byte> compressed;
  std::unique_ptr<Carried> carried;
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
  // Compressed ones get their places as they are written.
  if (work_.codec == format::Codec::raw) next_offset_ = end_of(work.plan, blocks_);
  find_units();
}

void BlockWriter::find_units() {
  std::vector<char> continues(blocks_.size(), 0);
  for (size_t i = 0; i < work_.pack.assets.size(); ++i) {
    const uint64_t size = work_.pack.assets[i].size_bytes;
    for (uint64_t k = 1; k * work_.block_bytes < size; ++k)
      continues[work_.plan.placement.places[i].block + k] = 1;
  }
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (continues[i] != 0)
      units_.back().end = i + 1;
    else
      units_.push_back({i, i + 1});
  }
}

Result<void> BlockWriter::run(unsigned threads) {
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < std::min<size_t>(threads, units_.size()); ++i)
      others.emplace_back([this] { work_on_units(); });
    work_on_units();
  }
  if (error_) return std::unexpected(*error_);
  for (size_t i = 0; i < hashes_.size(); ++i)
    hashes_[i] = work_.pack.assets[i].size_bytes == 0 ? canonical(XXH3_128bits(nullptr, 0))
                                                      : hashes_[work_.plan.same_as[i]];
  return {};
}

void BlockWriter::work_on_units() {
  size_t unit = 0;
  // An exception that left a thread would end the program, or leave the others waiting for a turn.
  try {
    Memory memory;
    memory.block.resize(work_.block_bytes);
    if (work_.codec == format::Codec::lz4) memory.compressed.resize(work_.block_bytes);
    while ((unit = next_unit_.fetch_add(1)) < units_.size())
      if (auto written = write_unit(unit, memory); !written) return stop(unit, written.error());
  } catch (const std::exception& exception) {
    stop(unit, {ErrorKind::failed, exception.what()});
  }
}

Result<void> BlockWriter::write_unit(size_t unit, Memory& memory) {
  for (size_t block = units_[unit].first; block < units_[unit].end; ++block) {
    if (unit > error_unit_.load()) return {};
    if (auto written = write_block(block, memory); !written) return written;
  }
  return {};
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
  const std::span<std::byte> raw = std::span(memory.block).first(blocks_[index].raw_bytes);
  size_t filled = 0;
  if (memory.carried) {
    filled = std::min<uint64_t>(memory.carried->left_bytes, raw.size());
    if (auto read = read_carried(memory, raw.first(filled)); !read) return read;
  }
  for (size_t at = blocks_[index].first_asset; at < work_.plan.placement.order.size(); ++at) {
    const uint32_t asset = work_.plan.placement.order[at];
    const AssetPlace& place = work_.plan.placement.places[asset];
    if (place.block != index) break;
    const uint64_t size = work_.pack.assets[asset].size_bytes;
    if (work_.plan.same_as[asset] != asset || size == 0) continue;
    std::ranges::fill(raw.subspan(filled, place.offset_bytes - filled), std::byte{0});
    const uint64_t length = std::min<uint64_t>(size, raw.size() - place.offset_bytes);
    if (auto read = read_asset(asset, raw.subspan(place.offset_bytes, length), memory); !read)
      return read;
    filled = place.offset_bytes + length;
  }
  std::ranges::fill(raw.subspan(filled), std::byte{0});  // a layout's hole
  return work_.codec == format::Codec::lz4 ? store_compressed(index, memory)
                                           : store(index, memory.block, blocks_[index].raw_bytes);
}

// Reads the whole asset, or its first part; then the rest is carried to the next block.
Result<void> BlockWriter::read_asset(uint32_t asset, std::span<std::byte> into, Memory& memory) {
  auto stream = work_.content.open(ref_of(work_.pack.assets[asset]));
  if (!stream) return std::unexpected(stream.error());
  if (into.size() == work_.pack.assets[asset].size_bytes) {
    if (auto read = read_exactly(**stream, into); !read) return read;
    hashes_[asset] = canonical(XXH3_128bits(into.data(), into.size()));
    return {};
  }
  memory.carried = std::make_unique<Carried>();
  memory.carried->asset = asset;
  memory.carried->stream = std::move(*stream);
  memory.carried->left_bytes = work_.pack.assets[asset].size_bytes;
  XXH3_128bits_reset(&memory.carried->hash);
  return read_carried(memory, into);
}

Result<void> BlockWriter::read_carried(Memory& memory, std::span<std::byte> into) {
  Carried& carried = *memory.carried;
  if (auto read = read_exactly(*carried.stream, into); !read) return read;
  XXH3_128bits_update(&carried.hash, into.data(), into.size());
  carried.left_bytes -= into.size();
  if (carried.left_bytes > 0) return {};
  hashes_[carried.asset] = canonical(XXH3_128bits_digest(&carried.hash));
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

Result<void> BlockWriter::store_compressed(size_t index, Memory& memory) {
  const uint32_t raw_bytes = blocks_[index].raw_bytes;
  // Less than an eighth saved isn't worth the decoding.
  const int most = static_cast<int>(raw_bytes - raw_bytes / 8);
  const int size = LZ4_compress_default(reinterpret_cast<const char*>(memory.block.data()),
                                        reinterpret_cast<char*>(memory.compressed.data()),
                                        static_cast<int>(raw_bytes), most);
  const bool kept = size > 0;
  const uint32_t stored_bytes = kept ? static_cast<uint32_t>(size) : raw_bytes;
  if (!turns_.wait_for(index)) return {};
  blocks_[index].offset_bytes = next_offset_;
  next_offset_ += format::round_up(stored_bytes, format::kPageBytes);
  turns_.done_with(index);
  blocks_[index].codec = kept ? format::Codec::lz4 : format::Codec::raw;
  return store(index, kept ? memory.compressed : memory.block, stored_bytes);
}

Result<void> BlockWriter::store(size_t index, std::span<std::byte> bytes, uint32_t stored_bytes) {
  const auto extent = bytes.first(format::round_up(stored_bytes, format::kPageBytes));
  std::ranges::fill(extent.subspan(stored_bytes), std::byte{0});
  blocks_[index].stored_bytes = stored_bytes;
  blocks_[index].checksum = XXH3_64bits(extent.data(), extent.size());
  return work_.file.write_at(blocks_[index].offset_bytes, extent);
}

}  // namespace seekless
