// Fills the blocks of a pack from content, with several threads, and writes them to their places.
// It reads some MiB and then writes them at once, so that a disk that holds both doesn't seek back
// and forth.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "packer/content/asset_reader.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/layout/layout.h"
#include "packer/pack/pack_plan.h"
#include "runtime/pack_format.h"

namespace seekless {

// Holds the input of a BlockWriter's threads; all of it outlives the writer.
struct BlockWork {
  const LaidPack& pack;
  ContentReader& content;
  const PackPlan& plan;
  const PendingFile& file;
  uint32_t block_bytes;
  format::Codec codec;
  std::atomic<uint64_t>* done_bytes;  // may be null
  unsigned threads;
};

// Gives each block its turn in the order of the blocks: with compression, a block's place in the
// file is known only when all blocks before it are compressed.
class Turns {
 public:
  // Returns false if the work stopped at this block or an earlier one during the wait.
  bool wait_for(size_t block);
  void done_with(size_t block);
  void stop_at(size_t block);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t next_ = 0;
  size_t end_ = SIZE_MAX;
};

// Writes a pack's blocks. Each block belongs to one thread while it is filled; the threads share
// only the turns, the counters and the first error.
class BlockWriter {
 public:
  explicit BlockWriter(const BlockWork& work);

  // Writes all blocks; the calling thread takes part. The first error in the order of the pack ends
  // it.
  Result<void> run();

  // These are valid after a run without an error.
  const std::vector<format::Block>& blocks() const { return blocks_; }
  // Empty if no block is compressed.
  const std::vector<format::Frame>& frames() const { return frames_; }
  // Indexed as in the layout.
  const std::vector<format::ContentHash>& hashes() const { return hashes_; }
  uint64_t end_bytes() const { return next_offset_; }

 private:
  // Groups blocks that one thread fills one after the other: as many as it writes at once, and more
  // if an asset extends over them.
  struct Unit {
    size_t first;
    size_t end;
  };
  struct Carried;
  struct Memory;

  void number_frames();
  void drop_frames_of_raw_blocks();
  void find_units();
  void work_on_units();
  Result<void> write_unit(size_t unit, Memory& memory);
  void stop(size_t unit, const Error& error);
  Result<void> write_block(size_t index, Memory& memory);
  Result<void> fill_block(size_t index, std::span<std::byte> raw, Memory& memory);
  Result<void> read_asset(uint32_t asset, std::span<std::byte> into, Memory& memory);
  Result<void> read_carried(Memory& memory, std::span<std::byte> into);
  Result<void> read_exactly(AssetStream& stream, std::span<std::byte> into) const;
  void compress_block(size_t index, std::span<const std::byte> raw, Memory& memory);
  std::span<format::Frame> frames_of(size_t block);
  void keep_block(size_t index, uint32_t stored_bytes, Memory& memory);
  Result<void> write_kept(Memory& memory);

  const BlockWork work_;
  uint64_t batch_bytes_;  // bytes that a thread collects before it writes them
  uint64_t next_offset_;  // offset of the next block; guarded by the turns
  std::vector<format::Block> blocks_;
  std::vector<format::Frame> frames_;
  std::vector<format::ContentHash> hashes_;
  std::vector<Unit> units_;
  std::atomic<size_t> next_unit_ = 0;
  Turns turns_;
  std::mutex error_mutex_;
  std::optional<Error> error_;
  std::atomic<size_t> error_unit_ = SIZE_MAX;  // units before this one are still finished
};

}  // namespace seekless
